/** A host of one language for one folder of components: calls run one after the other, a spent process is replaced. */
import { HarnessError } from '../../errors.ts';
import { hostFailure, type HostOutcome } from './host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits } from './host-process.ts';
import { moduleFault, placeOfSyntaxError } from './module-file.ts';

/** As many outcomes as `times`, or fewer after a failure. The time is for one answer. */
type AskHost = (question: HostCall, limits: HostLimits) => Promise<HostOutcome[]>;

export type ComponentHost = {
  /** Runs `work` after all earlier calls; no other call comes in between. */
  inTurn<T>(work: (ask: AskHost) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** `dir` is a real path; `start` starts the first process, and a new one whenever the last is over. */
export function createComponentHost(dir: string, start: () => Promise<HostProcess>): ComponentHost {
  const plain = new Set<string>();
  let host: HostProcess | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  /** Checked once: code that runs here cannot turn a file into a link. */
  const faultOf = async (module: string): Promise<string | undefined> => {
    if (plain.has(module)) return undefined;
    const fault = await moduleFault(dir, module);
    if (fault === undefined) plain.add(module);
    return fault;
  };

  const askOnce: AskHost = async (question, { timeoutMs, signal }) => {
    signal.throwIfAborted();
    throwIfClosed();
    const fault = await faultOf(question.module);
    if (fault !== undefined) return [hostFailure('bad_module', fault)];
    const current = host ?? (await start());
    host = current;
    let over = true;
    try {
      // It may have been closed while the host was starting.
      throwIfClosed();
      const answer = await current.ask(question, { timeoutMs: timeoutMs * question.times, signal });
      over = answer.over;
      return await Promise.all(answer.outcomes.map((outcome) => placed(outcome, dir, question.module)));
    } finally {
      if (over) {
        host = undefined;
        await current.kill();
      }
    }
  };

  /** The successor of a process that was spent after the first answer gives the second one. */
  const ask: AskHost = async (question, limits) => {
    const outcomes = await askOnce(question, limits);
    const left = question.times - outcomes.length;
    if (left === 0 || outcomes.some((outcome) => !outcome.ok)) return outcomes;
    return [...outcomes, ...(await ask({ ...question, times: left }, limits))];
  };

  return {
    inTurn(work) {
      const answer = tail.then(() => work(ask));
      tail = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      isClosed = true;
      await host?.kill();
      await tail;
    },
  };
}

/** An import does not report the line of a syntax error, and its author needs it. */
async function placed(outcome: HostOutcome, dir: string, module: string): Promise<HostOutcome> {
  if (outcome.ok || outcome.kind !== 'bad_module' || !outcome.message.includes('SyntaxError')) return outcome;
  const place = module.endsWith('.py') ? undefined : await placeOfSyntaxError(dir, module);
  return place === undefined ? outcome : { ...outcome, message: `${outcome.message} (${place})` };
}
