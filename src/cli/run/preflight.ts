/** The checks that `validate`, `run`, `batch` and their `--dry-run` share: files first, then everything they name. */
import { checkFiles, checkRun } from '../../app/preflight/check-run.ts';
import { openApp } from '../../app/open-app.ts';
import { collectFindings, formatFindings, refuseErrors, type ConfigFinding } from '../../config/findings.ts';
import { findHome, type Home } from '../../config/home.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { createForecastDeps, forecastRun } from '../../pipeline/forecast/forecast-run.ts';
import { formatCount } from '../../report/text/number-format.ts';
import type { Forecast } from '../../scenario/forecast/forecast.ts';
import { type Call, EXIT, type Io } from '../command-context.ts';
import { parseCiOptions } from '../ci/ci.ts';
import { forecastLines } from './forecast.ts';
import { toConfigLayers, loadRunConfig, withBudget, type RunOptions } from './settings.ts';

type PreflightInput = { home: Home; name: string; options: RunOptions };

/** Throws `config_invalid` with all faults of the files, or returns the scenario as it was checked; writes nothing. */
export async function refuseBadFiles(input: PreflightInput, io: Io): Promise<Scenario | undefined> {
  const { findings, scenario } = await checkRunFiles(input, io);
  refuseErrors(findings);
  for (const line of formatFindings(findings)) io.err(line);
  return scenario;
}

function checkRunFiles({ home, name, options }: PreflightInput, { cwd, env }: Io): ReturnType<typeof checkFiles> {
  const { junit, traffic } = parseCiOptions(options, cwd);
  const outputs = { '--junit': junit, '--record': traffic.record };
  return checkFiles({ home, name, config: toConfigLayers(options, env), env, outputs });
}

export type Preflight = {
  scenario: string;
  findings: ConfigFinding[];
  forecast?: Forecast;
  simulated?: boolean;
  budgetUsd?: number;
};

/** Checks one scenario without writing anything to disk. */
export async function preflightScenario(name: string, options: RunOptions, call: Call): Promise<Preflight> {
  const home = findHome(call.io.cwd);
  const { findings, scenario } = await checkRunFiles({ home, name, options }, call.io);
  if (scenario === undefined || findings.some(({ level }) => level === 'error')) return { scenario: name, findings };
  const checked = await collectFindings(findings, 'model', () =>
    checkOpened(withBudget(scenario, options), { home, options }, call),
  );
  findings.push(...(checked?.findings ?? []));
  return { scenario: name, findings, ...checked?.costs };
}

async function checkOpened(scenario: Scenario, { home, options }: Omit<PreflightInput, 'name'>, { io, signal }: Call) {
  const config = await loadRunConfig(home, options, io);
  const app = await openApp({ home, config, env: io.env, scenario, progress: () => undefined, signal });
  try {
    const forecast = await forecastRun(scenario, createForecastDeps(app.deps, signal));
    const { simulated } = app.deps;
    const costs = { forecast, simulated, budgetUsd: scenario.brief.budget_usd };
    return { findings: await checkRun({ scenario, app, forecast, isHere: options.detach !== true }, signal), costs };
  } finally {
    await app.close();
  }
}

/** `tandem validate <scenario>` and `tandem run --dry-run`. */
export async function validateCommand(name: string, options: RunOptions, call: Call): Promise<number> {
  const { io } = call;
  const result = await preflightScenario(name, options, call);
  const ok = result.findings.every(({ level }) => level !== 'error');
  if (options.json === true) io.out(JSON.stringify({ ok, ...result }));
  else for (const line of preflightLines(result)) io.out(line);
  return getFindingsExitCode(result.findings);
}

/** Returns the code with which `run` would end: 6 when only an unreachable endpoint is in the way. */
export function getFindingsExitCode(findings: readonly ConfigFinding[]): number {
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.length === 0) return EXIT.met;
  return errors.every(({ passing }) => passing) ? EXIT.infrastructure : EXIT.usage;
}

export function preflightLines(checked: Preflight): string[] {
  const { scenario, findings, forecast, simulated = false, budgetUsd = 0 } = checked;
  const errors = findings.filter(({ level }) => level === 'error').length;
  return [
    ...formatFindings(findings),
    ...(forecast === undefined ? [] : forecastLines(forecast, { budgetUsd, simulated })),
    errors === 0 ? `${scenario} can be run.` : `${scenario} cannot be run: ${formatCount(errors, 'error')}.`,
  ];
}
