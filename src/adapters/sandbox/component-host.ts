/** The host of one component, or of all in a folder: calls run one after the other, and a spent process is replaced. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import { hostFailure, type HostOutcome, type HostOutcomes } from './host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits, ModuleText } from './host-process.ts';
import { moduleFault } from './module-file.ts';

/** One call that waits for its turn. */
type WaitingCall = PromiseWithResolvers<HostOutcome[]> & { question: HostCall; limits: HostLimits };

/** At most so many calls go in one message: the first of them waits for the answer to the last. */
const MOST_TOGETHER = 16;

/**
 * How the hosts of one language start for a module. `once`: a process gives one answer. `withSource`: the host cannot read the
 * module, so each question carries its source. `together`: it takes several calls in one message.
 */
export type HostStart = {
  start: (module: string) => Promise<HostProcess>;
  once: boolean;
  withSource?: boolean;
  together?: boolean;
};

export type ComponentHost = {
  /**
   * Answers after all earlier calls, in one message with the calls that wait by then, where the host takes several. Resolves
   * to as many outcomes as `times`, or fewer after a failure. The time limit is for one answer.
   */
  ask(question: HostCall, limits: HostLimits): Promise<HostOutcome[]>;
  /** Ends its process after all calls so far; the next call starts another process. */
  rest(): Promise<void>;
  close(): Promise<void>;
};

/**
 * `dir` is a real path; `start` starts the first process, and a new one when the last is over. With `once`, a process
 * is over after one answer, so the next one is started ahead.
 */
export function createComponentHost(dir: string, kind: HostStart): ComponentHost {
  const modules = openModules(dir, kind.withSource === true);
  const processes = openProcesses(kind);
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** Also checked after a host has started, because the session may have been closed meanwhile. */
  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  /** Resolves to the outcomes of the first questions, or of none when there are several; the rest must be asked alone. */
  const askOnce = async (questions: readonly HostCall[], limits: HostLimits): Promise<HostOutcome[][]> => {
    limits.signal.throwIfAborted();
    throwIfClosed();
    const [{ module: first, times: wanted } = { module: '', times: 1 }] = questions;
    const fault = await modules.findFault(questions);
    if (fault !== undefined) return questions.length === 1 ? [[hostFailure('bad_module', fault)]] : [];
    const times = kind.once ? 1 : wanted;
    const requests = questions.map((question) => ({ ...question, ...modules.textOf(question.module), times }));
    const { answers } = await processes.use(first, async (current) => {
      throwIfClosed();
      const given = await current.ask(requests, { ...limits, timeoutMs: limits.timeoutMs * times });
      return { answers: given, over: given.length < requests.length || given.some(({ over }) => over) };
    });
    return Promise.all(answers.map((answer, index) => locateErrors(answer, dir, questions[index]?.module ?? first)));
  };

  /** The process that replaces a spent one gives the second answer. */
  const askAlone = async (question: HostCall, limits: HostLimits): Promise<HostOutcome[]> => {
    const [outcomes = [hostFailure('crashed', 'it did not answer')]] = await askOnce([question], limits);
    const left = question.times - outcomes.length;
    if (left === 0 || outcomes.some((outcome) => !outcome.ok)) return outcomes;
    return [...outcomes, ...(await askAlone({ ...question, times: left }, limits))];
  };

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const answer = tail.then(work);
    tail = answer.catch(() => undefined);
    return answer;
  };
  const waiting: WaitingCall[] = [];
  const answerWaiting = async (): Promise<void> => {
    // Trials that end in the same turn are judged by one message.
    if (kind.together === true) await endOfTurn();
    const calls = takeAlike(waiting, kind.together === true ? MOST_TOGETHER : 1);
    if (waiting.length > 0) void inTurn(answerWaiting);
    const questions = calls.map(({ question }) => question);
    const [first] = calls;
    const asked = first !== undefined && calls.length > 1 ? askOnce(questions, first.limits) : Promise.resolve([]);
    for (const [index, { question, limits, resolve, reject }] of calls.entries())
      await asked.then((found) => found[index] ?? askAlone(question, limits)).then(resolve, reject);
  };

  return {
    ask(question, limits) {
      const call = { question, limits, ...Promise.withResolvers<HostOutcome[]>() };
      if (waiting.push(call) === 1) void inTurn(answerWaiting);
      return call.promise;
    },
    rest: () => inTurn(() => processes.end()),
    async close() {
      isClosed = true;
      await processes.end();
      await tail;
      await processes.end();
    },
  };
}

/** Takes the first calls that one message can hold, which have the same limits. */
function takeAlike(waiting: WaitingCall[], most: number): WaitingCall[] {
  const [first] = waiting;
  const other = waiting.findIndex(
    ({ question: { times }, limits: { timeoutMs, signal } }) =>
      times !== first?.question.times || timeoutMs !== first.limits.timeoutMs || signal !== first.limits.signal,
  );
  return waiting.splice(0, other === -1 ? most : Math.min(most, other));
}

/** Checks each module once, because code that runs here cannot turn a file into a link. */
function openModules(dir: string, withSource: boolean) {
  const sources = new Map<string, string | undefined>();
  return {
    async findFault(calls: readonly HostCall[]): Promise<string | undefined> {
      for (const { module } of calls) {
        const fault = sources.has(module) ? undefined : await moduleFault(dir, module);
        if (fault !== undefined) return fault;
        if (!sources.has(module))
          sources.set(module, withSource ? await readFile(join(dir, module), 'utf8') : undefined);
      }
      return undefined;
    },
    textOf: (module: string): ModuleText => ({ module, source: sources.get(module) }),
  };
}

type Processes = {
  /** Contract: one use at a time. A process that reports its end, or that gives no answer, is killed. */
  use<Answer extends { over: boolean }>(
    module: string,
    work: (current: HostProcess) => Promise<Answer>,
  ): Promise<Answer>;
  end: () => Promise<void>;
};

/** At most so many processes wait for the next questions of one component: on an idle machine their starts overlap. */
const MOST_SPARES = Math.max(1, Math.min(4, availableParallelism()));

/** Holds the process that answers now and, with `once`, those that answer next. */
function openProcesses({ start, once }: HostStart): Processes {
  let current: HostProcess | undefined;
  const spares: Promise<HostProcess | undefined>[] = [];
  const ending = new Set<Promise<void>>();
  let calls = 0;
  /** Nobody waits for the end of a spent process: it shares nothing with the next one. */
  const kill = (spent: HostProcess): void => {
    const killed = spent.kill().finally(() => ending.delete(killed));
    ending.add(killed);
  };
  const take = async (module: string): Promise<HostProcess> => {
    if (current !== undefined) return current;
    const ready = spares.shift();
    // A failed spare proves nothing, so the start is tried again.
    const taken = (await ready) ?? (await start(module));
    current = taken;
    calls += 1;
    // A component called twice is likely to be called again; most are called once, for their description.
    const wanted = once ? Math.min(MOST_SPARES, calls - 1) : 0;
    while (spares.length < wanted) spares.push(start(module).catch(() => undefined));
    return taken;
  };
  return {
    async use(module, work) {
      const taken = await take(module);
      let over = true;
      try {
        const answer = await work(taken);
        // With `once`, the process is over even if it claims that it could continue.
        over = answer.over || once;
        return answer;
      } finally {
        if (over) {
          current = undefined;
          kill(taken);
        }
      }
    },
    async end() {
      const last = [current, ...spares.splice(0)];
      current = undefined;
      for (const one of last) await (await one)?.kill();
      await Promise.all(ending);
    },
  };
}

async function locateErrors({ outcomes }: HostOutcomes, dir: string, module: string): Promise<HostOutcome[]> {
  return Promise.all(outcomes.map((outcome) => locateError(outcome, dir, module)));
}

/** Adds the line of a syntax error, which an import does not report and the author needs. */
async function locateError(outcome: HostOutcome, dir: string, module: string): Promise<HostOutcome> {
  if (outcome.ok || outcome.kind !== 'bad_module' || !outcome.message.includes('SyntaxError')) return outcome;
  if (module.endsWith('.py')) return outcome;
  const { findSyntaxError: placeOfSyntaxError } = await import('../../disk/find-syntax-error.ts');
  const place = await placeOfSyntaxError(dir, module);
  return place === undefined ? outcome : { ...outcome, message: `${outcome.message} (${place})` };
}
