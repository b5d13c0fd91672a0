/** Opens telemetry; the adapter is imported only when the environment enables it. */
import type { Env } from '../config/store.ts';
import { telemetrySettings } from '../adapters/telemetry/settings.ts';
import { NO_TELEMETRY, type Telemetry } from '../ports/telemetry.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { readEvents } from '../run-folder/snapshot.ts';

/** `complain` gets at most a few lines for people. `measure` is set when metrics are served, whether exported or not. */
export async function openTelemetry(
  env: Env,
  complain: (text: string) => void,
  { measure = false }: { measure?: boolean } = {},
): Promise<Telemetry> {
  if (telemetrySettings(env) === undefined && !measure) return NO_TELEMETRY;
  const adapter = await import('../adapters/telemetry/open-telemetry.ts');
  return adapter.openTelemetry(env, complain, { measure });
}

/**
 * Sends the last spans of a run that ended while no process drove it, such as one rejected at its gate. Contract: does
 * nothing unless telemetry is enabled; a receiver's faults never fail it.
 */
export async function flushRunTelemetry(run: RunFolder, env: Env, complain: (text: string) => void): Promise<void> {
  const telemetry = await openTelemetry(env, complain);
  telemetry.observe(run, await readEvents(run));
  await telemetry.close();
}
