/**
 * Runs in a worker thread: answers each question in the same QuickJS, whose whole memory is put back to its start before. It loads
 * no module of Node but one: each costs every thread its time and its memory.
 */
import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { HostCall, ModuleText } from '../sandbox/host-process.ts';
import type { ValueCache } from '../sandbox/shared-values.ts';
import { shelve } from '../sandbox/cached-values.mts';
import { argumentsInPlace, stripSharedArguments } from './shared-arguments.ts';
import { snapshotOf } from './memory-snapshot.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { PRELUDE } from './prelude.ts';

/** Each module's function is called `times` times, each time in a fresh QuickJS, for `timeoutMs` in all; `keeps` are new values. */
export type WorkerQuestion = Omit<HostCall, 'keeps'> & {
  keeps: ReturnType<ValueCache['put']>;
  timeoutMs: number;
};

/**
 * `answers` is a JSON list of lists, by module. `over` is the reason why the last one has no more: QuickJS was left in the
 * middle of its work, and this thread must not be called again.
 */
export type WorkerAnswer = {
  answers: string;
  over?: { kind: 'timeout' | 'crashed'; message: string };
};

/** `engine`: QuickJS, compiled. */
export type WorkerData = { maxChars: number; memoryBytes: number; engine: object };

type AskedOnce = Omit<HostCall, 'keeps' | 'more' | 'times'>;

const STACK_BYTES = 512 * 1024;
/** Jobs of promises between two checks of the clock. */
const JOBS = 500;

/** Ends the question: this thread can give no more answers. */
class QuestionOver extends Error {
  readonly kind: 'timeout' | 'crashed';

  constructor(kind: 'timeout' | 'crashed', message: string) {
    super(message);
    this.kind = kind;
  }
}

const { maxChars, memoryBytes, engine } = workerData as WorkerData;
// The clock of QuickJS is the one of this thread; generated code lives in UTC, wherever the harness runs.
for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
  Reflect.set(Date.prototype, `get${part}`, Reflect.get(Date.prototype, `getUTC${part}`));
}
Reflect.set(Date.prototype, 'getTimezoneOffset', () => 0);

/** The types of Node leave this global out. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** Memory of the engine before any component runs, in pages of 64 KB. */
const ENGINE_PAGES = 256;
// QuickJS's own limit counts blocks, not bytes, where malloc does not know their size, as in WebAssembly.
const wasmMemory = new WebAssembly.Memory({ initial: ENGINE_PAGES, maximum: ENGINE_PAGES + memoryBytes / 65_536 });
// Its types describe the CommonJS file, whose default is one level deeper.
const sync = variant as unknown as QuickJSSyncVariant;
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(sync, { wasmMemory, wasmModule: engine }));
const plain = new Map<string, string>();

/** TypeScript without its types; the same text is stripped once. */
function javascriptOf({ module, source = '' }: ModuleText): string {
  if (!module.endsWith('ts')) return source;
  const known = plain.get(source);
  if (known !== undefined) return known;
  const stripped = process.getBuiltinModule('node:module').stripTypeScriptTypes(source);
  plain.clear();
  plain.set(source, stripped);
  return stripped;
}

let endsAt = Number.POSITIVE_INFINITY;
const runtime = quickjs.newRuntime({ maxStackSizeBytes: STACK_BYTES, interruptHandler: () => monotonicMs() > endsAt });
runtime.setModuleLoader((specifier) => {
  const message = `"${specifier}" cannot be imported: QuickJS has the language alone; behind bubblewrap it can be`;
  return { error: new ReferenceError(message) };
});
const context = runtime.newContext();
const own = context.unwrapResult(context.evalCode(PRELUDE, 'prelude'));
const atStart = snapshotOf(wasmMemory);

/** All that a component can change lies in that memory: a call begins with the bytes that every call began with. */
function answerOnce(question: AskedOnce, args: string): string {
  atStart.restore();
  return stripSharedArguments(inContext(question, args), question, maxChars);
}

/** Its handles are not disposed: the memory that they point to is put back before the next call. */
function inContext(question: AskedOnce, args: string): string {
  const { module, name, returnsArgs } = question;
  const loaded = load(question);
  if (typeof loaded === 'string') return loaded;
  // Returned arguments are counted when their edits are known.
  const settings = JSON.stringify({ module, returnsArgs, maxChars: maxChars + (args.length - question.args.length) });
  const given = [loaded, context.newString(name), context.newString(args), context.newString(settings)];
  const perform = context.getProp(own, 'perform');
  const called = context.callFunction(perform, context.undefined, ...given);
  if (called.error !== undefined) throw overOf(called.error);
  const answer = settled(called.value);
  if ('error' in answer) throw overOf(answer.error);
  return context.getString(answer.value);
}

/** Of this thread's own chance, which no component sees. */
function seed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/** The module's exports, or the refusal to load it. */
function load(question: ModuleText): QuickJSHandle | string {
  const { module } = question;
  const refuse = (error: QuickJSHandle): string => {
    throwIfOver(error);
    const unloadable = context.getProp(own, 'unloadable');
    const text = context.unwrapResult(
      context.callFunction(unloadable, context.undefined, error, context.newString(module)),
    );
    return context.getString(text);
  };
  context.callFunction(context.getProp(own, 'seed'), context.undefined, context.newNumber(seed()));
  let source: string;
  try {
    source = javascriptOf(question);
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
    return JSON.stringify({ ok: false, kind: 'bad_module', message: `${module} cannot be loaded: ${message}` });
  }
  const evaluated = context.evalCode(source, module, { type: 'module' });
  if (evaluated.error !== undefined) return refuse(evaluated.error);
  const ready = settled(evaluated.value);
  return 'error' in ready ? refuse(ready.error) : ready.value;
}

/** Runs pending jobs until the promise has settled; any other value is settled. */
function settled(promise: QuickJSHandle): { value: QuickJSHandle } | { error: QuickJSHandle } {
  for (;;) {
    const state = context.getPromiseState(promise);
    if (state.type === 'fulfilled') return { value: state.value };
    if (state.type === 'rejected') return { error: state.error };
    if (!runtime.hasPendingJob()) throw new QuestionOver('crashed', 'the promise that it returned never settles');
    const ran = runtime.executePendingJobs(JOBS);
    if (ran.error !== undefined) throw overOf(ran.error);
    if (monotonicMs() > endsAt) throw new QuestionOver('timeout', 'no answer within its time');
  }
}

/** QuickJS reports both limits by its own errors, which a component can catch, but not create. */
function throwIfOver(error: QuickJSHandle): void {
  const { name = '', message = '' } = (context.dump(error) ?? {}) as { name?: string; message?: string };
  if (name !== 'InternalError') return;
  if (message === 'interrupted') throw new QuestionOver('timeout', 'no answer within its time');
  if (message === 'out of memory') throw new QuestionOver('crashed', 'it used up its memory');
}

function overOf(error: QuickJSHandle): QuestionOver {
  throwIfOver(error);
  // An interrupted job of a promise does not always give the reason.
  if (monotonicMs() > endsAt) return new QuestionOver('timeout', 'no answer within its time');
  return new QuestionOver('crashed', `QuickJS gave up: ${JSON.stringify(context.dump(error))}`.slice(0, 500));
}

function answerAll({ keeps, timeoutMs, more = [], times, ...question }: WorkerQuestion): WorkerAnswer {
  const { module, source } = question;
  const answers: string[][] = [];
  const written = (): string => `[${answers.map((texts) => `[${texts.join(',')}]`).join(',')}]`;
  try {
    for (const { name, text, drop } of keeps) shelve(name, text, drop);
    const args = argumentsInPlace(question);
    for (const one of [{ module, source }, ...more]) {
      const texts: string[] = [];
      answers.push(texts);
      endsAt = monotonicMs() + timeoutMs;
      for (let time = 0; time < times; time += 1) texts.push(answerOnce({ ...question, ...one }, args));
    }
    return { answers: written() };
  } catch (error) {
    const isOver = error instanceof QuestionOver;
    if (answers.length === 0) answers.push([]);
    // Without memory QuickJS gives up without an error of its own.
    const message = isOver ? error.message : `QuickJS gave up: ${String(error).slice(0, 200)}`;
    return { answers: written(), over: { kind: isOver ? error.kind : 'crashed', message } };
  }
}

function reply(message: WorkerAnswer | 'ready'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

parentPort?.on('message', (question: WorkerQuestion) => reply(answerAll(question)));
reply('ready');
