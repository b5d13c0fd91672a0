/** For each test of a file a receiver of its own, telemetry that sends there, and a run to tell of. */
import { afterEach, beforeEach } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { openTelemetry } from '../../../src/adapters/telemetry/open-telemetry.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import type { Telemetry } from '../../../src/ports/telemetry.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver.ts';
import { created, started } from '../../support/run-events.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

type Here = { receiver: OtlpReceiver; complaints: string[]; open: (env?: Record<string, string>) => Telemetry };

export function eachReceived(): Here {
  const here = {} as Here;
  here.open = (env = {}) =>
    openTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: here.receiver.url, ...env }, (text) => here.complaints.push(text));
  beforeEach(async () => {
    here.receiver = await startOtlpReceiver();
    here.complaints = [];
  });
  afterEach(() => here.receiver.close());
  return here;
}

export async function makeRun(story = [created(), started()]): Promise<RunFolder> {
  const dir = await scratch();
  const store = openFileRunStore({ roots: [dir], clock: tickingClock(), worker: 'w' });
  const run = await store.create(`${dir}/refund-desk`, 'run-1');
  for (const [index, { body, actor }] of story.entries()) await run.journal.append(body, actor, index);
  return run;
}
