/** One side of the race for a decision: `node undo-child.ts pay|undo`; each line `<run folder> <moment>` is answered by one line. */
import { createInterface } from 'node:readline';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { isHarnessError } from '../../src/errors.ts';
import { beginStep } from '../../src/pipeline/drive/begin-step.ts';
import { createPaidModel } from '../../src/pipeline/spending/paid-model.ts';
import { undoDecision } from '../../src/gate/undo.ts';
import type { Model, ModelFacts } from '../../src/ports/model.ts';

const clock = { now: () => new Date() };
const store = openFileRunStore({ roots: [], clock, worker: `racer-${process.pid}` });
const rates = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 };
const facts: ModelFacts = { id: 'm', window: 1000, maxOutput: 10, boundThinking: false, price: rates, source: 'table' };
const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const never = new AbortController().signal;

async function pay(dir: string): Promise<string> {
  let paid = false;
  const model: Model = {
    call: async () => {
      paid = true;
      return { id: 'r', model: 'm', content: [{ type: 'text', text: 'done' }], stopReason: 'end_turn', usage };
    },
  };
  const run = await store.open(dir);
  const attempt = await run.artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
  const { spending } = run;
  const begin = beginStep(run, 'execute.i1');
  const options = {
    facts,
    attempt,
    spending,
    begin,
    capUsd: 5,
    agent: 'execute',
    lane: 'execute',
    onPaid: () => undefined,
  };
  const request = { model: 'm', system: [], tools: [], messages: [], max_tokens: 10 };
  await createPaidModel({ model, ...options })
    .call(request, never)
    .catch((error: unknown) => {
      if (!isHarnessError(error, 'attempt_lost')) throw error;
    });
  return paid ? 'paid' : 'stopped';
}

async function undo(dir: string): Promise<string> {
  const permissions = { starterMayDecide: true, policyMayDecide: false };
  try {
    await undoDecision({ run: dir, gate: 'HITL-1.r1', comment: '', actor: 'user:ada', via: 'race' }, permissions, {
      ...{ store, clock, progress: () => undefined },
    });
    return 'undone';
  } catch (error) {
    if (isHarnessError(error, 'gate_refused')) return 'refused';
    throw error;
  }
}

const act = process.argv[2] === 'pay' ? pay : undo;
for await (const line of createInterface({ input: process.stdin })) {
  const [dir = '', moment = '0'] = line.split('\t');
  while (performance.timeOrigin + performance.now() < Number(moment)) continue;
  process.stdout.write(`${await act(dir)}\n`);
}
