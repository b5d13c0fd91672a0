/** A worker in a storm: `node storm-child.ts <url> <run folder> <calls>`; it makes paid calls until each is answered, and says `done`. */
import { basename, dirname } from 'node:path';
import { createAnthropicModel } from '../../src/adapters/anthropic/anthropic-model.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { isHarnessError } from '../../src/errors.ts';
import { createPaidModel } from '../../src/pipeline/spending/paid-model.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import { facts } from './responses.ts';

const LANES = 3;
const CAP_USD = 1000;

const [url = '', dir = '', wanted = '0'] = process.argv.slice(2);
const stop = new AbortController();
// As a pause or a cancel does it: calls under way are aborted, and what they cost is still booked.
process.once('SIGTERM', () => stop.abort(new Error('paused')));

const store = openFileRunStore({
  roots: [dirname(dirname(dirname(dir)))],
  clock: { now: () => new Date() },
  worker: `w${process.pid}`,
});
const run = await store.open(dir);
const attempt = await run.artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
const model = createAnthropicModel({
  ...{ baseUrl: url, apiKey: 'offline', timeoutMs: 5_000 },
  retry: { tries: 3, minDelayMs: 1, maxDelayMs: 5 },
});

const request = (text: string): ModelRequest => ({
  ...{ model: 'claude-opus-5-5', system: [], tools: [], max_tokens: 2000 },
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
});

async function lane(number: number): Promise<void> {
  for (let index = number; index < Number(wanted); index += LANES) {
    const name = `lane${number}.${index}`;
    while (!(await answered(name, index))) stop.signal.throwIfAborted();
  }
}

async function answered(name: string, index: number): Promise<boolean> {
  const paid = createPaidModel({
    ...{ model, facts: facts({}), attempt, spending: run.spending, capUsd: CAP_USD, agent: 'execute', lane: name },
    onPaid: () => undefined,
  });
  try {
    await paid.call(request(`Call ${index} of ${basename(dir)}.`), stop.signal);
    return true;
  } catch (error) {
    if (isHarnessError(error) && error.code !== 'attempt_lost') return false;
    throw error;
  }
}

process.stdout.write('ready\n');
try {
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  process.stdout.write('done\n');
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
