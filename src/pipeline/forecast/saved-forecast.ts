/** `forecast.json` of a run: what it was to cost before its first paid call. */
import type { RunFolder } from '../../ports/run-store.ts';
import { type Forecast, StartForecast } from '../../scenario/forecast/forecast.ts';
import { parseFile } from '../../disk/parse-file.ts';

const FILE = 'forecast.json';

export async function writeForecast(run: RunFolder, forecast: Forecast): Promise<void> {
  await run.write(FILE, `${JSON.stringify({ version: 1, ...forecast } satisfies StartForecast, null, 2)}\n`);
}

/** Undefined for a run that was begun without one. */
export async function readForecast(run: RunFolder): Promise<Forecast | undefined> {
  const text = await run.read(FILE);
  if (text === undefined) return undefined;
  const { version: _version, ...forecast } = parseFile(StartForecast, text, FILE);
  return forecast;
}
