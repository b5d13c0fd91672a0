/** The host of one component, or of all in a folder: calls run one after the other, and a spent process is replaced. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { hostFailure, type HostOutcome, type HostOutcomes } from './host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits, ModuleText } from './host-process.ts';
import { moduleFault } from './module-file.ts';

/** Resolves to as many outcomes as `times`, or fewer after a failure. The time limit is for one answer. */
type AskHost = (question: HostCall, limits: HostLimits) => Promise<HostOutcome[]>;

/** Asks several modules in one message, where possible. Resolves to all outcomes of the first ones; the rest must be asked singly. */
type AskFirst = (
  question: Omit<HostCall, 'module'>,
  modules: readonly string[],
  limits: HostLimits,
) => Promise<HostOutcome[][]>;

type HostStart = { start: (module: string) => Promise<HostProcess>; once: boolean; withSource?: boolean };

export type ComponentHost = {
  /** Runs `work` after all earlier calls; no other call comes in between. */
  inTurn<T>(work: (ask: AskHost, askFirst: AskFirst) => Promise<T>): Promise<T>;
  /** Ends its process after all calls so far; the next call starts another process. */
  rest(): Promise<void>;
  close(): Promise<void>;
};

/**
 * `dir` is a real path; `start` starts the first process, and a new one when the last is over. With `once`, a process
 * is over after one answer, so the next one is started ahead.
 */
export function createComponentHost(dir: string, { start, once, withSource = false }: HostStart): ComponentHost {
  const modules = openModules(dir, withSource);
  const processes = openProcesses({ start, once });
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** Also checked after a host has started, because the session may have been closed meanwhile. */
  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  const askOnce: AskHost = async (question, { timeoutMs, signal }) => {
    signal.throwIfAborted();
    throwIfClosed();
    const { module } = question;
    const times = once ? 1 : question.times;
    const fault = await modules.faultOf(module);
    if (fault !== undefined) return [hostFailure('bad_module', fault)];
    const request = { ...question, times, ...modules.textOf(module) };
    const answer = await processes.use(module, (current) => {
      throwIfClosed();
      return current.ask(request, { timeoutMs: timeoutMs * times, signal });
    });
    return locateErrors(answer, dir, module);
  };

  /** The process that replaces a spent one gives the second answer. */
  const ask: AskHost = async (question, limits) => {
    const outcomes = await askOnce(question, limits);
    const left = question.times - outcomes.length;
    if (left === 0 || outcomes.some((outcome) => !outcome.ok)) return outcomes;
    return [...outcomes, ...(await ask({ ...question, times: left }, limits))];
  };

  const askFirst: AskFirst = async (question, names, { timeoutMs, signal }) => {
    signal.throwIfAborted();
    throwIfClosed();
    const [first = '', ...more] = names;
    if (once || more.length === 0) return [];
    for (const name of names) if ((await modules.faultOf(name)) !== undefined) return [];
    const request = { ...question, ...modules.textOf(first), more: more.map(modules.textOf) };
    const { answers } = await processes.use(first, async (current) => {
      throwIfClosed();
      const found = await current.askSeveral?.(request, { timeoutMs: timeoutMs * question.times, signal });
      if (found === undefined) return { answers: [], over: false };
      return { answers: found, over: found.length < names.length || found.some(({ over }) => over) };
    });
    return Promise.all(answers.map((answer, index) => locateErrors(answer, dir, names[index] ?? first)));
  };

  const inTurn: ComponentHost['inTurn'] = (work) => {
    const answer = tail.then(() => work(ask, askFirst));
    tail = answer.catch(() => undefined);
    return answer;
  };
  return {
    inTurn,
    rest: () => inTurn(() => processes.end()),
    async close() {
      isClosed = true;
      await processes.end();
      await tail;
      await processes.end();
    },
  };
}

/** Checks each module once, because code that runs here cannot turn a file into a link. */
function openModules(dir: string, withSource: boolean) {
  const sources = new Map<string, string | undefined>();
  return {
    async faultOf(module: string): Promise<string | undefined> {
      if (sources.has(module)) return undefined;
      const fault = await moduleFault(dir, module);
      if (fault === undefined) sources.set(module, withSource ? await readFile(join(dir, module), 'utf8') : undefined);
      return fault;
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
