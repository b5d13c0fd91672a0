/** A worker under a cap in a storm: `node cap-child.ts <settings as JSON>`; it makes paid calls until each is answered, or there is no money. */
import { dirname } from 'node:path';
import { createAnthropicModel } from '../../src/adapters/anthropic/anthropic-model.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { isHarnessError } from '../../src/errors.ts';
import { createPaidModel } from '../../src/pipeline/spending/paid-model.ts';
import { stormFacts, stormRequest } from './cap-storm.ts';

export type CapStorm = {
  url: string;
  dir: string;
  seed: number;
  /** Which of the workers it is: each has a step of its own, and one cap is over all. */
  worker: number;
  calls: number;
  capUsd: number;
  dearer: number;
};

const LANES = 3;
const settings = JSON.parse(process.argv[2] ?? '{}') as CapStorm;
const { url, dir, seed, worker, calls, capUsd, dearer } = settings;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort(new Error('paused')));

const store = openFileRunStore({
  roots: [dirname(dirname(dirname(dir)))],
  clock: { now: () => new Date() },
  worker: `w${process.pid}`,
});
const run = await store.open(dir);
const step = `execute.i${worker + 1}`;
const attempt = await run.artifacts.begin(step, `execution_outputs/iteration_${worker + 1}`, []);
const model = createAnthropicModel({
  ...{ baseUrl: url, apiKey: 'offline', timeoutMs: 5_000 },
  retry: { tries: 3, minDelayMs: 1, maxDelayMs: 5 },
});

async function lane(number: number): Promise<void> {
  for (let index = number; index < calls; index += LANES) while (!(await answered(index))) stop.signal.throwIfAborted();
}

async function answered(index: number): Promise<boolean> {
  const request = stormRequest(seed, worker * 1000 + index);
  const paid = createPaidModel({
    ...{ model, facts: stormFacts(request.model, dearer), attempt, spending: run.spending, capUsd },
    ...{ agent: 'execute', lane: `call.${index}`, onPaid: () => undefined },
  });
  try {
    await paid.call(request, stop.signal);
    return true;
  } catch (error) {
    if (isHarnessError(error, 'model_unavailable') || isHarnessError(error, 'model_refused')) return false;
    throw error;
  }
}

process.stdout.write('ready\n');
const ends = await Promise.allSettled(Array.from({ length: LANES }, (_, number) => lane(number)));
const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
if (failed.length === 0) process.stdout.write('done\n');
else if (failed.every((error) => isHarnessError(error, 'budget_exceeded'))) process.stdout.write('no money\n');
else if (!stop.signal.aborted) throw failed.find((error) => !isHarnessError(error, 'budget_exceeded'));
