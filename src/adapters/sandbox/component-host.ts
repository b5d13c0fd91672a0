/** The host of a component, or of those of one room: calls run one after the other, a spent process is replaced. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { hostFailure, type HostOutcome } from './host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits, ModuleText } from './host-process.ts';
import { moduleFault } from './module-file.ts';

/** As many outcomes as `times`, or fewer after a failure. The time is for one answer. */
type AskHost = (question: HostCall, limits: HostLimits) => Promise<HostOutcome[]>;

/** In one message, where the process can: the outcomes of the first modules, all of their times. The rest is to be asked one by one. */
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
  const sources = new Map<string, string | undefined>();
  const processes = processesOf({ start, once });
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const throwIfClosed = (): void => {
    if (isClosed) throw new HarnessError('sandbox_unavailable', 'The sandbox session is closed: open a new one.');
  };

  /** Checked once: code that runs here cannot turn a file into a link. */
  const faultOf = async (module: string): Promise<string | undefined> => {
    if (sources.has(module)) return undefined;
    const fault = await moduleFault(dir, module);
    if (fault === undefined) sources.set(module, withSource ? await readFile(join(dir, module), 'utf8') : undefined);
    return fault;
  };

  const textOf = (module: string): ModuleText => ({ module, source: sources.get(module) });

  const askOnce: AskHost = async (question, { timeoutMs, signal }) => {
    signal.throwIfAborted();
    throwIfClosed();
    const fault = await faultOf(question.module);
    if (fault !== undefined) return [hostFailure('bad_module', fault)];
    const current = await processes.take(question.module);
    let over = true;
    try {
      // It may have been closed while the host was starting.
      throwIfClosed();
      const asked = { ...question, ...textOf(question.module) };
      const answer = await current.ask(asked, { timeoutMs: timeoutMs * question.times, signal });
      // Not even its own word that it could go on.
      over = answer.over || once;
      return await Promise.all(answer.outcomes.map((outcome) => placed(outcome, dir, question.module)));
    } finally {
      if (over) await processes.end(current);
    }
  };

  /** The successor of a spent process gives the second answer. */
  const ask: AskHost = async (question, limits) => {
    const outcomes = await askOnce(question, limits);
    const left = question.times - outcomes.length;
    if (left === 0 || outcomes.some((outcome) => !outcome.ok)) return outcomes;
    return [...outcomes, ...(await ask({ ...question, times: left }, limits))];
  };

  const askFirst: AskFirst = async (question, modules, { timeoutMs, signal }) => {
    signal.throwIfAborted();
    throwIfClosed();
    const [first, ...more] = modules;
    if (once || first === undefined || more.length === 0) return [];
    for (const module of modules) if ((await faultOf(module)) !== undefined) return [];
    const current = await processes.take(first);
    if (current.askSeveral === undefined) return [];
    let over = true;
    try {
      throwIfClosed();
      const asked = { ...question, ...textOf(first), more: more.map(textOf) };
      const answers = await current.askSeveral(asked, { timeoutMs: timeoutMs * question.times, signal });
      over = answers.length < modules.length || answers.some((answer) => answer.over);
      return await Promise.all(
        answers.map(({ outcomes }, index) =>
          Promise.all(outcomes.map((outcome) => placed(outcome, dir, modules[index] ?? first))),
        ),
      );
    } finally {
      if (over) await processes.end(current);
    }
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

type Processes = { take: (module: string) => Promise<HostProcess>; end: (which?: HostProcess) => Promise<void> };

/** The process that answers now, and where each gives one answer, the one that is to answer next. */
function processesOf({ start, once }: HostStart): Processes {
  let current: HostProcess | undefined;
  let spare: Promise<HostProcess | undefined> | undefined;
  let calls = 0;
  return {
    async take(module) {
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
    },
    async end(which) {
      const ending = which === undefined ? [current, spare] : [which];
      if (which === undefined) spare = undefined;
      current = undefined;
      for (const one of ending) await (await one)?.kill();
    },
  };
}

/** An import does not report the line of a syntax error, and its author needs it. */
async function placed(outcome: HostOutcome, dir: string, module: string): Promise<HostOutcome> {
  if (outcome.ok || outcome.kind !== 'bad_module' || !outcome.message.includes('SyntaxError')) return outcome;
  if (module.endsWith('.py')) return outcome;
  const { placeOfSyntaxError } = await import('../../disk/place-of-syntax-error.ts');
  const place = await placeOfSyntaxError(dir, module);
  return place === undefined ? outcome : { ...outcome, message: `${outcome.message} (${place})` };
}
