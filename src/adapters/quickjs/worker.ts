/**
 * Runs in a worker thread, or as a process inside bubblewrap, and answers each question in the same QuickJS, whose whole
 * memory is first restored to its initial state. A thread loads only one module of Node, because each costs time and memory.
 */
import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { GivenArguments, HostCall, ModuleText } from '../sandbox/host-process.ts';
import {
  buildArguments,
  cacheText,
  editsBetween,
  type DuplicateText,
  type Edit,
  type ValueSlot,
} from '../sandbox/cached-values.mts';
import type { HostOutcome } from '../sandbox/host-outcomes.ts';
import { answerLines, readSettings } from './answer-lines.ts';
import { createLoadedModules } from './loaded-modules.ts';
import { takeSnapshot } from './memory-snapshot.ts';
import type { WorkerAnswer, WorkerData, WorkerQuestion } from './worker-messages.ts';

type AskedOnce = Omit<HostCall, 'keeps' | 'times'>;

const STACK_BYTES = 512 * 1024;
/** The number of promise jobs that run between two checks of the clock. */
const JOBS = 500;

/** Ends the question, after which this thread can give no more answers. */
class QuestionOver extends Error {
  readonly kind: 'timeout' | 'crashed';

  constructor(kind: 'timeout' | 'crashed', message: string) {
    super(message);
    this.kind = kind;
  }
}

const { maxChars, memoryBytes, engine, prelude } = parentPort === null ? readSettings() : (workerData as WorkerData);
// QuickJS reads the clock of this thread; generated code runs in UTC, wherever the harness runs.
for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']) {
  Reflect.set(Date.prototype, `get${part}`, Reflect.get(Date.prototype, `getUTC${part}`));
}
Reflect.set(Date.prototype, 'getTimezoneOffset', () => 0);

/** Node's type declarations leave this global out. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** Memory of the engine before any component runs, in pages of 64 KB. */
const ENGINE_PAGES = 256;
// QuickJS's own limit counts blocks, not bytes, where malloc does not know their size, as in WebAssembly.
const wasmMemory = new WebAssembly.Memory({ initial: ENGINE_PAGES, maximum: ENGINE_PAGES + memoryBytes / 65_536 });
// The types describe the CommonJS file, whose default export is one level deeper.
const sync = variant as unknown as QuickJSSyncVariant;
const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(sync, { wasmMemory, wasmModule: engine }));

function stripTypes({ module, source = '' }: ModuleText): string {
  return module.endsWith('ts') ? process.getBuiltinModule('node:module').stripTypeScriptTypes(source) : source;
}

let endsAt = Number.POSITIVE_INFINITY;
/** The last arguments, which calls of one message may share. */
let placed: { given?: GivenArguments; text: string } = { text: '' };
const runtime = quickjs.newRuntime({
  maxStackSizeBytes: STACK_BYTES,
  interruptHandler: () => performance.now() > endsAt,
});
runtime.setModuleLoader((specifier) => {
  const message = `"${specifier}" cannot be imported: QuickJS has the language alone; behind bubblewrap it can be`;
  return { error: new ReferenceError(message) };
});
const context = runtime.newContext();
const preludeExports = context.unwrapResult(context.evalCode(prelude, 'prelude'));
const initialMemory = takeSnapshot(wasmMemory);
const loadedModules = createLoadedModules<QuickJSHandle>(initialMemory);

/** Every component state lies in that memory, so each call starts from the same bytes: those of the module just loaded. */
function answerOnce(question: AskedOnce, args: string): string {
  const ready = loadedModules.restore(question);
  if (ready !== undefined) seedChance();
  const loaded = ready ?? loadModule(question);
  const answer = typeof loaded === 'string' ? loaded : callComponent(question, args, loaded);
  return stripSharedArguments(answer, question, maxChars);
}

function callPrelude(name: string, ...given: QuickJSHandle[]): QuickJSHandle {
  const called = context.callFunction(context.getProp(preludeExports, name), context.undefined, ...given);
  if (called.error !== undefined) throw toQuestionOver(called.error);
  return called.value;
}

/** Handles are not disposed, because the memory that they point to is restored before the next call. */
function callComponent(question: AskedOnce, args: string, loaded: QuickJSHandle): string {
  const { module, name, returnsArgs, given: sent } = question;
  // The size of returned arguments is checked once their edits are known.
  const most = maxChars + (args.length - sent.args.length);
  const settings = JSON.stringify({ module, name, returnsArgs, maxChars: most });
  const given = [loaded, context.newString(args), context.newString(settings)];
  const answer = settlePromise(callPrelude('perform', ...given));
  if ('error' in answer) throw toQuestionOver(answer.error);
  return context.getString(answer.value);
}

/** Seeds the component's chance from this thread's random numbers, which no component can observe. */
function seedChance(): number {
  const seed = Math.floor(Math.random() * 2 ** 32) | 0;
  callPrelude('seed', context.newNumber(seed));
  return seed;
}

/** Returns the exports of the module, or the refusal to load it. */
function loadModule(question: ModuleText): QuickJSHandle | string {
  const { module } = question;
  const refuse = (error: QuickJSHandle): string => {
    throwIfOver(error);
    return context.getString(callPrelude('unloadable', error, context.newString(module)));
  };
  initialMemory.restore();
  const seed = seedChance();
  let source: string;
  try {
    source = stripTypes(question);
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
    return JSON.stringify({ ok: false, kind: 'bad_module', message: `${module} cannot be loaded: ${message}` });
  }
  const evaluated = context.evalCode(source, module, { type: 'module' });
  if (evaluated.error !== undefined) return refuse(evaluated.error);
  const ready = settlePromise(evaluated.value);
  if ('error' in ready) return refuse(ready.error);
  // A module that has drawn a number while it was loaded would draw another the next time.
  if (context.getNumber(callPrelude('readDice')) === seed) loadedModules.keep(question, ready.value);
  return ready.value;
}

/** Runs pending jobs until the promise settles; any other value counts as settled. */
function settlePromise(promise: QuickJSHandle): { value: QuickJSHandle } | { error: QuickJSHandle } {
  for (;;) {
    const state = context.getPromiseState(promise);
    if (state.type === 'fulfilled') return { value: state.value };
    if (state.type === 'rejected') return { error: state.error };
    if (!runtime.hasPendingJob()) throw new QuestionOver('crashed', 'the promise that it returned never settles');
    const ran = runtime.executePendingJobs(JOBS);
    if (ran.error !== undefined) throw toQuestionOver(ran.error);
    if (performance.now() > endsAt) throw new QuestionOver('timeout', 'no answer within its time');
  }
}

/** QuickJS reports both limits by errors that a component can catch, but not create. */
function throwIfOver(error: QuickJSHandle): void {
  const { name = '', message = '' } = (context.dump(error) ?? {}) as { name?: string; message?: string };
  if (name !== 'InternalError') return;
  if (message === 'interrupted') throw new QuestionOver('timeout', 'no answer within its time');
  if (message === 'out of memory') throw new QuestionOver('crashed', 'it used up its memory');
}

function toQuestionOver(error: QuickJSHandle): QuestionOver {
  throwIfOver(error);
  // An interrupted promise job does not always carry the reason.
  if (performance.now() > endsAt) return new QuestionOver('timeout', 'no answer within its time');
  return new QuestionOver('crashed', `QuickJS gave up: ${JSON.stringify(context.dump(error))}`.slice(0, 500));
}

function answerAll({ keeps, timeoutMs, times, ...question }: WorkerQuestion): WorkerAnswer {
  const answers: string[] = [];
  try {
    for (const { name, text, drop } of keeps) cacheText(name, text, drop);
    const args = argumentsInPlace(question.given);
    endsAt = performance.now() + timeoutMs;
    for (let time = 0; time < times; time += 1) answers.push(answerOnce(question, args));
    return { answers: `[${answers.join(',')}]` };
  } catch (error) {
    const isOver = error instanceof QuestionOver;
    // When memory runs out, QuickJS gives up without an error of its own.
    const message = isOver ? error.message : `QuickJS gave up: ${String(error).slice(0, 200)}`;
    return { answers: `[${answers.join(',')}]`, over: { kind: isOver ? error.kind : 'crashed', message } };
  }
}

/** No question follows one that left this thread spent. */
function answerEach(questions: readonly WorkerQuestion[]): WorkerAnswer[] {
  const answers: WorkerAnswer[] = [];
  for (const question of questions) {
    const answer = answerAll(question);
    answers.push(answer);
    if (answer.over !== undefined) break;
  }
  return answers;
}

function sendReply(message: WorkerAnswer[] | 'ready'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

if (parentPort === null) await answerLines(answerAll);
parentPort?.on('message', (questions: WorkerQuestion[]) => sendReply(answerEach(questions)));
sendReply('ready');

type SharedPlaces = { same: DuplicateText[]; kept?: ValueSlot[] };

/** The arguments as one JSON text, with cached values and long texts at all their places. */
function argumentsInPlace(given: GivenArguments): string {
  const { args, places } = given;
  if (placed.given === given) return placed.text;
  const { same, kept = [] } = JSON.parse(`{${places}}`) as SharedPlaces;
  if (same.length + kept.length === 0) return args;
  placed = { given, text: JSON.stringify(buildArguments({ args: JSON.parse(args) as unknown[], same, kept })) };
  return placed.text;
}

/** Returns only the edits of cached arguments; `answer` and the result are JSON. */
function stripSharedArguments(
  answer: string,
  { given: { args, places }, returnsArgs }: Pick<HostCall, 'given' | 'returnsArgs'>,
  maxChars: number,
): string {
  const { kept = [] } = JSON.parse(`{${places}}`) as SharedPlaces;
  if (kept.length === 0 || !returnsArgs) return answer;
  const outcome = JSON.parse(answer) as HostOutcome;
  if (!outcome.ok) return answer;
  const edits: [number, Edit[]][] = [];
  const left = [...outcome.args];
  for (const [[slot = ''], name, given] of kept) {
    const made = editsBetween(name, given, JSON.stringify(left[Number(slot)]));
    if (made.length > 0) edits.push([Number(slot), made]);
    left[Number(slot)] = null;
  }
  const isSame = JSON.stringify(left) === args;
  const text = JSON.stringify({ ok: true, ...(isSame ? {} : { args: left }), edits, value: outcome.value });
  if (text.length <= maxChars) return text;
  const message = `the answer has ${text.length} characters; at most ${maxChars} are taken`;
  return JSON.stringify({ ok: false, kind: 'too_large', message });
}
