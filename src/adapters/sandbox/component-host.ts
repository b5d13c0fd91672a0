/** One room of a session: a host of one language for one folder of components, asked one thing after the other. */
import { HarnessError } from '../../errors.ts';
import { hostFailure, type HostOutcome } from './host-outcomes.ts';
import type { HostProcess, HostCall } from './host-process.ts';
import { moduleFault, placeOfSyntaxError } from './module-file.ts';

/** The time is for one answer. */
export type HostCallLimits = { timeoutMs: number; signal: AbortSignal };

/** As many outcomes as `times`, or one less after the first failure. */
export type AskHost = (question: HostCall, limits: HostCallLimits) => Promise<HostOutcome[]>;

export type ComponentHost = {
  /** Runs `work` when everything before it is answered; nobody else asks in between. */
  inTurn<T>(work: (ask: AskHost) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** `dir` is a real path; `start` makes the first host, and a new one whenever the last is over. */
export function createComponentHost(dir: string, start: () => Promise<HostProcess>): ComponentHost {
  const plain = new Set<string>();
  let host: HostProcess | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  /** Nothing that runs here can make a link of a file: what was plain once is not looked at again. */
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
    const asked = host ?? (await start());
    host = asked;
    let over = true;
    try {
      // It may have been closed while the host was starting.
      throwIfClosed();
      const answer = await asked.ask(question, timeoutMs * question.times, signal);
      over = answer.over;
      return await Promise.all(answer.outcomes.map((outcome) => placed(outcome, dir, question.module)));
    } finally {
      if (over) {
        host = undefined;
        await asked.kill();
      }
    }
  };

  /** A host that was spent after the first answer gives no second one: its successor does. */
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

/** Node does not tell a module where its syntax is wrong; whoever has to repair it needs the line. */
async function placed(outcome: HostOutcome, dir: string, module: string): Promise<HostOutcome> {
  if (outcome.ok || outcome.kind !== 'bad_module' || !outcome.message.includes('SyntaxError')) return outcome;
  const place = module.endsWith('.py') ? undefined : await placeOfSyntaxError(dir, module);
  return place === undefined ? outcome : { ...outcome, message: `${outcome.message} (${place})` };
}
