/** A session for proofs that repeats known answers: a proof, and the next one after a small repair, ask mostly the same. */
import { sha256 } from '../../disk/sha256.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { createAnswerMemory } from './answer-memory.ts';
import { listArguments, type OpenSandbox, type RepeatedCalls, type SandboxOutcome } from '../../ports/sandbox.ts';

/** It takes longer to compare larger arguments than to ask again. */
const MOST_ARGUMENT_CHARS = 64 << 10;

/** `settled`: they came twice, and were the same; `differs`: they once were not. */
type Known = { answers: SandboxOutcome[]; state: 'once' | 'settled' | 'differs' };

/** Most characters of the answers that one process keeps. */
const memory = createAnswerMemory(16 << 20);

/**
 * Asks each question until two answers agree, and repeats them after that, also in later sessions of this process. A
 * question is the function, its arguments and the digest of every file that the module can read; clock and network are the
 * same for all calls of a sandbox. Answers that differ once are asked for each time, as without a digest.
 */
export function rememberAnswers(session: OpenSandbox): OpenSandbox {
  const askAll: OpenSandbox['askAll'] = async (inquiry, signal) => {
    signal.throwIfAborted();
    const keys = await findKeys(session, inquiry);
    const answers = keys.map((key) => (key === undefined ? undefined : readSettled(key)));
    const modules = inquiry.modules.filter((_, index) => answers[index] === undefined);
    const asked = modules.length === 0 ? [] : await session.askAll({ ...inquiry, modules }, signal);
    return keys.map((key, index) => {
      const found = answers[index] ?? asked.shift() ?? [];
      if (key !== undefined && answers[index] === undefined) noteAnswers(key, found);
      return found;
    });
  };
  return {
    ...session,
    askAll,
    async call(call, signal) {
      signal.throwIfAborted();
      const [key] = await findKeys(session, { ...call, modules: [call.module], times: 1 });
      const [answer] = (key === undefined ? undefined : readSettled(key)) ?? [];
      if (answer !== undefined) return answer;
      const given = await session.call(call, signal);
      if (key !== undefined) noteAnswers(key, [given]);
      return given;
    },
  };
}

/** By module; undefined where a question cannot be compared with another. */
async function findKeys(session: OpenSandbox, inquiry: RepeatedCalls): Promise<(string | undefined)[]> {
  const { modules, name, args, times } = inquiry;
  const digests = await Promise.all(modules.map(async (module) => session.digestModule?.(module)));
  if (digests.every((digest) => digest === undefined)) return digests;
  const text = JSON.stringify(listArguments(args));
  if (text.length > MOST_ARGUMENT_CHARS) return modules.map(() => undefined);
  return digests.map((digest, index) => digest && sha256(JSON.stringify([digest, modules[index], name, times, text])));
}

/** A copy of its own: the caller may change it. */
function readSettled(key: string): SandboxOutcome[] | undefined {
  const found = memory.recall([key]) as Known | undefined;
  return found?.state === 'settled' ? found.answers : undefined;
}

function noteAnswers(key: string, answers: SandboxOutcome[]): void {
  // A time limit, a crash or a full machine says nothing about the next call.
  if (answers.some((outcome) => !outcome.ok && outcome.kind !== 'threw')) return;
  const before = memory.recall([key]) as Known | undefined;
  const all = [...(before?.answers ?? []), ...answers];
  const isSame = before?.state !== 'differs' && all.every((one) => sameJson(one, all[0]));
  const state = isSame ? (all.length > 1 ? 'settled' : 'once') : 'differs';
  memory.remember([key], { answers, state } satisfies Known);
}
