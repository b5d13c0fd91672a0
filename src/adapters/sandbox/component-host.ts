/** The host of a component, or of those of one room: calls run one after the other, a spent process is replaced. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { hostFailure, type HostOutcome, type HostOutcomes } from './host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits, ModuleText } from './host-process.ts';
import { moduleFault } from './module-file.ts';

/** As many outcomes as `times`, or fewer after a failure. The time is for one answer. */
type AskHost = (question: HostCall, limits: HostLimits) => Promise<HostOutcome[]>;

/** In one message, where the process can: the outcomes of the first modules, all of their times. The rest must be called one by one. */
type AskFirst = (
  question: Omit<HostCall, 'module'>,
  modules: readonly string[],
  limits: HostLimits,
) => Promise<HostOutcome[][]>;

type HostStart = { start: (module: string) => Promise<HostProcess>; once: boolean; withSource?: boolean };

export type ComponentHost = {
  /** Runs `work` after all earlier calls; no other call comes in between. */
  inTurn<T>(work: (ask: AskHost, askFirst: AskFirst) => Promise<T>): Promise<T>;
  /** Ends its process after all calls so far; the next call starts another one. */
  rest(): Promise<void>;
  close(): Promise<void>;
};

/**
 * `dir` is a real path; `start` starts the first process, and a new one whenever the last is over. `once`: a process is
 * over after one answer, so the next one starts ahead.
 */
export function createComponentHost(dir: string, { start, once, withSource = false }: HostStart): ComponentHost {
  const modules = modulesOf(dir, withSource);
  const processes = processesOf({ start, once });
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** Also checked once a host has started: it may have been closed meanwhile. */
  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  const askOnce: AskHost = async (question, { timeoutMs, signal }) => {
    signal.throwIfAborted();
    throwIfClosed();
    const { module, times } = question;
    const fault = await modules.faultOf(module);
    if (fault !== undefined) return [hostFailure('bad_module', fault)];
    const request = { ...question, ...modules.textOf(module) };
    const answer = await processes.use(module, (current) => {
      throwIfClosed();
      return current.ask(request, { timeoutMs: timeoutMs * times, signal });
    });
    return placed(answer, dir, module);
  };

  /** The successor of a spent process gives the second answer. */
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
    return Promise.all(answers.map((answer, index) => placed(answer, dir, names[index] ?? first)));
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

/** Each is checked once: code that runs here cannot turn a file into a link. */
function modulesOf(dir: string, withSource: boolean) {
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
  /** Contract: one at a time. A process whose answer says that it is over, or that gives none, is ended. */
  use<Answer extends { over: boolean }>(
    module: string,
    work: (current: HostProcess) => Promise<Answer>,
  ): Promise<Answer>;
  end: () => Promise<void>;
};

/** The process that answers now, and where each gives one answer, the one that is to answer next. */
function processesOf({ start, once }: HostStart): Processes {
  let current: HostProcess | undefined;
  let spare: Promise<HostProcess | undefined> | undefined;
  let calls = 0;
  const take = async (module: string): Promise<HostProcess> => {
    if (current !== undefined) return current;
    const ready = spare;
    spare = undefined;
    // A spare that did not start proves nothing: the next try may work.
    const taken = (await ready) ?? (await start(module));
    current = taken;
    calls += 1;
    // Whoever calls twice calls again; most are only once called, for what they are.
    if (once && calls > 1) spare = start(module).catch(() => undefined);
    return taken;
  };
  return {
    async use(module, work) {
      const taken = await take(module);
      let over = true;
      try {
        const answer = await work(taken);
        // Not even its own word that it could go on.
        over = answer.over || once;
        return answer;
      } finally {
        if (over) {
          current = undefined;
          await taken.kill();
        }
      }
    },
    async end() {
      const ending = [current, spare];
      [current, spare] = [undefined, undefined];
      for (const one of ending) await (await one)?.kill();
    },
  };
}

async function placed({ outcomes }: HostOutcomes, dir: string, module: string): Promise<HostOutcome[]> {
  return Promise.all(outcomes.map((outcome) => withPlace(outcome, dir, module)));
}

/** An import does not report the line of a syntax error, and its author needs it. */
async function withPlace(outcome: HostOutcome, dir: string, module: string): Promise<HostOutcome> {
  if (outcome.ok || outcome.kind !== 'bad_module' || !outcome.message.includes('SyntaxError')) return outcome;
  if (module.endsWith('.py')) return outcome;
  const { placeOfSyntaxError } = await import('../../disk/place-of-syntax-error.ts');
  const place = await placeOfSyntaxError(dir, module);
  return place === undefined ? outcome : { ...outcome, message: `${outcome.message} (${place})` };
}
