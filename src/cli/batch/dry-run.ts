/** `tandem batch --dry-run`: checks each scenario and forecasts the cost of all runs together. */
import { forecastText } from '../../report/text/forecast-text.ts';
import { formatCount, formatUsd } from '../../report/text/number-format.ts';
import type { Call } from '../command-context.ts';
import { getFindingsExitCode, preflightScenario, preflightLines, type Preflight } from '../run/preflight.ts';
import type { BatchFlags } from './options.ts';

type BatchToCheck = { flags: BatchFlags; runs: number; budgetUsd: number | undefined };

export async function dryRunBatch(
  names: readonly string[],
  { flags, runs, budgetUsd }: BatchToCheck,
  call: Call,
): Promise<number> {
  const { budget: _whole, ...options } = flags;
  const checked: Preflight[] = [];
  for (const name of names) checked.push(await preflightScenario(name, options, call));
  const ok = checked.every(({ findings }) => findings.every(({ level }) => level !== 'error'));
  // Runs of one scenario are alike: if one costs more than the median, all may, so the sums are on the safe side.
  const sum = (of: 'p50' | 'p90') => checked.reduce((total, { forecast }) => total + (forecast?.[of] ?? 0) * runs, 0);
  const total = { p50: sum('p50'), p90: sum('p90') };
  if (flags.json === true) call.io.out(JSON.stringify({ ok, scenarios: checked, runs, total }));
  else {
    for (const line of checked.flatMap((one) => [...preflightLines(one), ''])) call.io.out(line);
    const cap = budgetUsd === undefined ? 'no cap of the batch' : `cap of the batch ${formatUsd(budgetUsd)}`;
    call.io.out(`${formatCount(names.length * runs, 'run')}: ${forecastText(total)}, ${cap}`);
  }
  return getFindingsExitCode(checked.flatMap(({ findings }) => findings));
}
