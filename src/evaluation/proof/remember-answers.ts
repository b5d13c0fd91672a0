/** A session for proofs that repeats known answers: a proof, and the next one after a small repair, ask mostly the same. */
import { sha256 } from '../../disk/sha256.ts';
import { listArguments, type OpenSandbox, type RepeatedCalls, type SandboxOutcome } from '../../ports/sandbox.ts';

/** The most characters of answers that one process keeps; the oldest make room. */
const MOST_CHARS = 16 << 20;

/** It takes longer to compare larger arguments than to ask again. */
const MOST_ARGUMENT_CHARS = 64 << 10;

/** `answers` as JSON. `isSettled`: they came twice, and were the same. */
type Known = { answers: string; isSettled: boolean };

const known = new Map<string, Known>();
let chars = 0;

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
  const found = known.get(key);
  if (found?.isSettled !== true) return undefined;
  known.delete(key);
  known.set(key, found);
  return JSON.parse(found.answers) as SandboxOutcome[];
}

function noteAnswers(key: string, outcomes: readonly SandboxOutcome[]): void {
  // A time limit, a crash or a full machine says nothing about the next call.
  if (outcomes.some((outcome) => !outcome.ok && outcome.kind !== 'threw')) return;
  const answers = JSON.stringify(outcomes);
  const before = known.get(key);
  const isRepeated =
    outcomes.length > 1 && outcomes.every((one) => JSON.stringify(one) === JSON.stringify(outcomes[0]));
  const isSettled = isRepeated || before?.answers === answers;
  if (before !== undefined) chars -= before.answers.length;
  known.delete(key);
  known.set(key, { answers, isSettled });
  chars += answers.length;
  for (const [oldest, { answers: text }] of known) {
    if (chars <= MOST_CHARS) break;
    known.delete(oldest);
    chars -= text.length;
  }
}
