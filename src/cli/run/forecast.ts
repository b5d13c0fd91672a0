/** Shows the expected cost of a run before the first paid call, and asks for confirmation when it is high. */
import { usageError } from '../../errors.ts';
import type { Forecast } from '../../scenario/forecast/forecast.ts';
import { forecastBasis, forecastParts, forecastText } from '../../report/text/forecast-text.ts';
import { formatUsd } from '../../report/text/number-format.ts';
import type { Call, BooleanFlags } from '../command-context.ts';

/** From this amount on a person must confirm, if one can be asked. */
const ASK_ABOVE_USD = 5;

export type ForecastTerms = { budgetUsd: number; simulated: boolean };

export function forecastLines(forecast: Forecast, { budgetUsd, simulated }: ForecastTerms): string[] {
  return [
    `forecast ${forecastText(forecast)}, cap ${formatUsd(budgetUsd)}: ${forecastParts(forecast)}`,
    `         from ${forecastBasis(forecast)}${simulated ? '; SIMULATED, nothing is paid' : ''}`,
    ...(forecast.p90 > budgetUsd && forecast.p50 <= budgetUsd
      ? ['         the cap may be reached: the run then pauses and can be given more']
      : []),
    ...(forecast.p50 > budgetUsd ? ['         more likely than not the cap is reached: the run then pauses'] : []),
  ];
}

/** Throws `usage` when the person declines; nothing has been written then. */
export async function confirmForecast(
  forecast: Forecast,
  { simulated, ...terms }: ForecastTerms & BooleanFlags<'yes'>,
  { io, signal }: Call,
): Promise<void> {
  const lines = forecastLines(forecast, { simulated, ...terms });
  // Nothing is paid for an offline run, so its forecast is one line; validate shows the parts.
  const short = `forecast ${forecastText(forecast)}, cap ${formatUsd(terms.budgetUsd)}; SIMULATED, nothing is paid`;
  for (const line of simulated ? [short, ...lines.slice(2)] : lines) io.err(line);
  if (simulated || terms.yes === true || forecast.p90 <= ASK_ABOVE_USD || io.ask === undefined) return;
  const answer = await io.ask(`This may cost more than ${formatUsd(ASK_ABOVE_USD)}. Begin? [y/N] > `, signal);
  if (!/^y(es)?$/i.test(answer.trim()))
    throw usageError('Not begun: nothing was paid and nothing was written. --yes begins without asking.');
}
