/** A session for many calls of proven tools: equal calls are made once, and those that wait for one tool go to it together. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { SandboxCall, SandboxOutcome, SandboxSession } from '../../../ports/sandbox.ts';
import type { MutantBench } from './mutant-bench.ts';

const MOST_CALLS = 60;
const MOST_CHARS = 600_000;
const BATCH_MS = 5000;

type Waiting = { text: string; call: SandboxCall; settle: (outcome: Promise<SandboxOutcome> | SandboxOutcome) => void };

const Answers = z.array(z.nullable(z.object({ value: z.unknown(), args: z.array(z.unknown()) })));

/** Each call still meets a fresh body of the module. What a batch cannot answer, `session` is asked. Nobody may change an answer. */
export function batchingSession(session: SandboxSession, bench: MutantBench): SandboxSession {
  const known = new Map<string, Promise<SandboxOutcome>>();
  const queues = new Map<string, Waiting[]>();

  const flush = async (module: string, signal: AbortSignal): Promise<void> => {
    await setImmediate();
    const waiting = queues.get(module) ?? [];
    queues.delete(module);
    await Promise.all(batchesOf(waiting).map((batch) => answer(module, batch, signal)));
  };
  const answer = async (module: string, batch: readonly Waiting[], signal: AbortSignal): Promise<void> => {
    const args = [batch.map(({ text }) => text), 'run'];
    const outcome = await bench.session
      .call({ module, name: 'callAll', args, timeoutMs: BATCH_MS }, signal)
      .catch((): SandboxOutcome => ({ ok: false, kind: 'crashed', message: 'the batch was given up' }));
    const answers = outcome.ok ? Answers.safeParse(outcome.value).data : undefined;
    for (const [index, { call, settle }] of batch.entries()) {
      const one = answers?.length === batch.length ? answers[index] : undefined;
      if (one === undefined) settle(session.call(call, signal));
      else if (one === null) settle({ ok: false, kind: 'threw', message: 'it threw' });
      else settle({ ok: true, value: one.value, args: one.args });
    }
  };
  const batched = (module: string, call: SandboxCall, signal: AbortSignal): Promise<SandboxOutcome> =>
    new Promise((settle) => {
      const queue = queues.get(module) ?? [];
      queue.push({ text: JSON.stringify(call.args), call, settle });
      queues.set(module, queue);
      if (queue.length === 1) void flush(module, signal);
    });

  return {
    call(call, signal) {
      const key = JSON.stringify([call.module, call.name, call.args]);
      const module = 'shared' in call.args || call.name !== 'run' ? undefined : bench.originalOf(call.module);
      const outcome =
        known.get(key) ?? (module === undefined ? session.call(call, signal) : batched(module, call, signal));
      known.set(key, outcome);
      return outcome;
    },
    askAll: (inquiry, signal) => session.askAll(inquiry, signal),
    close: () => session.close(),
  };
}

function batchesOf(waiting: readonly Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  let chars = Infinity;
  for (const one of waiting) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= MOST_CALLS || chars + one.text.length > MOST_CHARS) {
      batches.push([one]);
      chars = one.text.length;
    } else {
      last.push(one);
      chars += one.text.length;
    }
  }
  return batches;
}
