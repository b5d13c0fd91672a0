/** A session for proofs that repeats known answers: a proof, and the next one after a small repair, ask mostly the same. */
import { sha256 } from '../../disk/sha256.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { createAnswerMemory } from './answer-memory.ts';
import { listArguments, type OpenSandbox, type RepeatedCalls, type SandboxOutcome } from '../../ports/sandbox.ts';

/** It takes longer to compare larger arguments than to ask again. */
const MOST_ARGUMENT_CHARS = 64 << 10;

/** Most characters of the answers that one process keeps; two that agree settle a question. */
const memory = createAnswerMemory(16 << 20);

/** Modules that once gave two answers to one question: none of their answers is taken from memory again. */
const unsteady = new Set<string>();

/**
 * Asks each question until two answers agree, and repeats them after that, also in later sessions of this process. A
 * question is the function, its arguments and the digest of every file that the module can read; clock and network are the
 * same for all calls of a sandbox. A module whose answers differ once is asked each time, as without a digest. One that
 * does so in one call of a hundred shows it on one of the questions that are asked twice: after 150 of them, 5 in 100 such
 * components are unseen. A trial asks anew, and asks its checkers twice.
 */
export function rememberAnswers(session: OpenSandbox): OpenSandbox {
  const answer = async (
    inquiry: RepeatedCalls,
    ask: (modules: string[]) => Promise<SandboxOutcome[][]>,
    signal: AbortSignal,
  ): Promise<SandboxOutcome[][]> => {
    signal.throwIfAborted();
    const keys = await findKeys(session, inquiry);
    const answers = keys.map(readSettled);
    const modules = inquiry.modules.filter((_, index) => answers[index] === undefined);
    const asked = modules.length === 0 ? [] : await ask(modules);
    return keys.map((key, index) => {
      const found = answers[index] ?? asked.shift() ?? [];
      if (answers[index] === undefined) noteAnswers(key, found);
      return found;
    });
  };
  return {
    ...session,
    askAll: (inquiry, signal) => answer(inquiry, (modules) => session.askAll({ ...inquiry, modules }, signal), signal),
    async call(call, signal) {
      const inquiry = { ...call, modules: [call.module], times: 1 };
      const [[first] = []] = await answer(inquiry, async () => [[await session.call(call, signal)]], signal);
      if (first === undefined) throw new Error(`${call.module} gave no answer`);
      return first;
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
  return digests.map((digest, index) => {
    const own = sha256(JSON.stringify([digest, modules[index]]));
    return digest === undefined || unsteady.has(own)
      ? undefined
      : `${own} ${sha256(JSON.stringify([name, times, text]))}`;
  });
}

/** A copy of its own: the caller may change it. */
function readSettled(key: string | undefined): SandboxOutcome[] | undefined {
  const found = key && (memory.recall([key]) as SandboxOutcome[] | undefined);
  return found && found.length > 1 ? found : undefined;
}

function noteAnswers(key: string | undefined, answers: readonly SandboxOutcome[]): void {
  // A time limit, a crash or a full machine says nothing about the next call.
  if (key === undefined || answers.some((outcome) => !outcome.ok && outcome.kind !== 'threw')) return;
  const all = [...((memory.recall([key]) as SandboxOutcome[] | undefined) ?? []), ...answers];
  if (all.every((one) => sameJson(one, all[0]))) memory.remember([key], all);
  else unsteady.add(key.split(' ')[0] ?? key);
}
