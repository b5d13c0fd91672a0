/** The last spans of a run that ended while nobody carried it on, such as one that was rejected at its gate. */
import { openTelemetry } from '../adapters/telemetry/open-telemetry.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { readEvents } from '../run-folder/snapshot.ts';

/** Contract: does nothing unless telemetry is switched on; never fails for what a receiver does. */
export async function flushRunTelemetry(
  run: RunFolder,
  env: Readonly<Record<string, string | undefined>>,
  complain: (text: string) => void,
): Promise<void> {
  const telemetry = openTelemetry(env, complain);
  telemetry.observe(run, await readEvents(run));
  await telemetry.close();
}
