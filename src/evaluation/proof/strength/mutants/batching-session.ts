/** A session for many calls of proven tools: equal calls are made once, and those that wait for one tool go to it together. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { SandboxCall, SandboxOutcome, OpenSandbox } from '../../../../ports/sandbox.ts';
import type { AnswerMemory } from '../../answer-memory.ts';
import { componentInput, splitBatches, type ComponentInput } from './component-input.ts';
import type { MutantBench, MutatedModule } from './mutant-bench.ts';

const MOST_CALLS = 60;
const MOST_CHARS = 600_000;
const BATCH_MS = 5000;

type WaitingCall = {
  input: ComponentInput;
  call: SandboxCall;
  settle: (outcome: Promise<SandboxOutcome> | SandboxOutcome) => void;
};

/** Null means that the tool threw. */
const Answer = z.nullable(z.object({ value: z.unknown(), args: z.array(z.unknown()) }));
const Answers = z.array(Answer);

type OriginalCode = Pick<MutatedModule, 'original' | 'identity'>;

function toRunKey({ identity }: OriginalCode, { digest }: ComponentInput): string[] {
  return ['run', identity, digest];
}

function toOutcome(answer: z.infer<typeof Answer>): SandboxOutcome {
  return answer === null
    ? { ok: false, kind: 'threw', message: 'it threw' }
    : { ok: true, value: answer.value, args: answer.args };
}

/** Each call still meets a fresh body of the module. Calls that a batch cannot answer go to `session`. Answers must not be mutated. */
export function batchingSession(
  session: OpenSandbox,
  { bench, memory }: { bench: MutantBench; memory: AnswerMemory },
): OpenSandbox {
  const known = new Map<string, Promise<SandboxOutcome>>();
  const queues = new Map<string, WaitingCall[]>();

  const flush = async (code: OriginalCode, signal: AbortSignal): Promise<void> => {
    await setImmediate();
    const waiting = queues.get(code.original) ?? [];
    queues.delete(code.original);
    const batches = splitBatches(waiting, ({ input }) => input.text, { most: MOST_CALLS, mostChars: MOST_CHARS });
    await Promise.all(batches.map((batch) => answer(code, batch, signal)));
  };
  const answer = async (code: OriginalCode, batch: readonly WaitingCall[], signal: AbortSignal): Promise<void> => {
    const args = [batch.map(({ input }) => input.text), 'run'];
    const inquiry = { modules: [code.original], name: 'callAll', args, times: 1, timeoutMs: BATCH_MS };
    const [outcomes] = await bench.session.askAll(inquiry, signal).catch((): SandboxOutcome[][] => []);
    const [outcome] = outcomes ?? [];
    const answers = outcome?.ok === true ? Answers.safeParse(outcome.value).data : undefined;
    for (const [index, { input, call, settle }] of batch.entries()) {
      const one = answers?.length === batch.length ? answers[index] : undefined;
      settle(one === undefined ? session.call(call, signal) : toOutcome(one));
      if (one !== undefined) memory.remember(toRunKey(code, input), one);
    }
  };
  const batched = (
    code: OriginalCode,
    { call, input }: Pick<WaitingCall, 'call' | 'input'>,
    signal: AbortSignal,
  ): Promise<SandboxOutcome> => {
    const earlier = Answer.safeParse(memory.recall(toRunKey(code, input)));
    if (earlier.success) return Promise.resolve(toOutcome(earlier.data));
    return new Promise((settle) => {
      const queue = queues.get(code.original) ?? [];
      queue.push({ input, call, settle });
      queues.set(code.original, queue);
      if (queue.length === 1) void flush(code, signal);
    });
  };

  return {
    call(call, signal) {
      const { module, name, args } = call;
      if ('shared' in args) return session.call(call, signal);
      const input = componentInput(args);
      const key = JSON.stringify([module, name, input.digest]);
      const code = name === 'run' ? bench.originalOf(module) : undefined;
      const outcome =
        known.get(key) ?? (code === undefined ? session.call(call, signal) : batched(code, { call, input }, signal));
      known.set(key, outcome);
      return outcome;
    },
    askAll: (inquiry, signal) => session.askAll(inquiry, signal),
    close: () => session.close(),
  };
}
