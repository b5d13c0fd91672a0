/** Runs in the sandbox: loads generated modules and answers one call after the other, on a separate channel. */
import { readSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { argumentsOf, at, editsBetween, jsonOf, keep, type ValueSlot, type DuplicateText } from './cached-values.mts';

/**
 * One question; `token` is new for each, so that a line which the code itself writes is never taken for an answer. Without
 * `args` those of the last question with `args` apply. The function is called `times` times, on fresh arguments each time.
 * `returnsArgs`: they are returned as it left them, or nothing when it did not change them.
 */
export type HostRequest = {
  token: string;
  module: string;
  name: string;
  times: number;
  returnsArgs: boolean;
  args?: unknown[];
  /** Places of `args` that repeat the text of another place. */
  same?: DuplicateText[];
  /** Cached values to copy into `args`. */
  kept?: ValueSlot[];
  /** No question, but a value to cache by that name, given in `json`; values named in `drop` are forgotten. */
  keep?: string;
  drop?: string[];
};

/**
 * Answers are sent as `{token, spent, answers}`. `spent`: the process is no longer as at its start (built-ins changed,
 * timers left, processor time used up).
 */
type HostAnswer =
  | { ok: true; value?: unknown; args?: unknown[] }
  | { ok: false; kind: 'threw' | 'bad_module' | 'too_large'; message: string };

/** The file descriptor of the answers; 0 brings the requests, 1 and 2 are left to the code. */
const CHANNEL = 3;
const CPU_SECONDS_OF_ONE_PROCESS = 20;
const ARGS = ',"args":';
const SAME = ',"same":';

const root = process.argv[2] ?? '/components';
const maxChars = Number(process.argv[3]);

// Taken before any generated code is loaded: what the code does to the built-ins later cannot reach these.
const read = readSync;
const write = writeSync;
const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { parse, stringify } = JSON;
const { is } = Object;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const encode = encoder.encode.bind(encoder);
const decode = decoder.decode.bind(decoder);
const nextTurn = setImmediate;
const activeResources = process.getActiveResourcesInfo.bind(process);
const cpuUsage = process.cpuUsage.bind(process);
// The one clock that `still-clock.ts` has left running, for this line.
Reflect.deleteProperty(process, 'cpuUsage');

type OfText<Given extends unknown[], Found> = (this: string, ...given: Given) => Found;
const indexOf = Reflect.get(String.prototype, 'indexOf') as OfText<[part: string], number>;
const lastIndexOf = Reflect.get(String.prototype, 'lastIndexOf') as OfText<[part: string], number>;
const slice = Reflect.get(String.prototype, 'slice') as OfText<[from: number, to: number], string>;

const LANGUAGE = [
  ['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Math', 'JSON', 'Reflect'],
  ['Promise', 'Proxy', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Date', 'RegExp', 'Error', 'TypeError'],
  ['RangeError', 'SyntaxError', 'ArrayBuffer', 'DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'Intl'],
  ['parseInt', 'parseFloat', 'isNaN', 'isFinite', 'Iterator', 'structuredClone', 'setTimeout', 'queueMicrotask'],
].flat();

type KnownObject = { object: object; prototype: object | null; keys: (string | symbol)[]; values: unknown[] };

/** The value of a property, or its getter, to compare with later. */
function identity(object: object, key: string | symbol): unknown {
  const found = getOwnPropertyDescriptor(object, key);
  return found === undefined ? undefined : (found.get ?? found.value);
}

function know(object: object, keys = ownKeys(object)): KnownObject {
  return { object, prototype: getPrototypeOf(object), keys, values: keys.map((key) => identity(object, key)) };
}

function builtIns(): KnownObject[] {
  const objects = new Set<object>([getPrototypeOf([][Symbol.iterator]()) ?? {}, getPrototypeOf(Uint8Array) ?? {}]);
  for (const name of LANGUAGE) {
    const value = identity(globalThis, name);
    if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) continue;
    objects.add(value);
    const prototype = identity(value, 'prototype');
    if (typeof prototype === 'object' && prototype !== null) objects.add(prototype);
  }
  const known = [know(globalThis, LANGUAGE)];
  for (const object of objects) known.push(know(object));
  return known;
}

/** Written without iterators and array methods: those may be the very thing that was changed. */
function isUnchanged(known: KnownObject[]): boolean {
  for (let i = 0; i < known.length; i += 1) {
    const { object, prototype, keys, values } = known[i] as KnownObject;
    if (getPrototypeOf(object) !== prototype) return false;
    if (object !== globalThis && ownKeys(object).length !== keys.length) return false;
    for (let k = 0; k < keys.length; k += 1) {
      if (!is(identity(object, keys[k] as string | symbol), values[k])) return false;
    }
  }
  return true;
}

/** The next line of standard input; the event loop rests meanwhile, so nothing runs between two calls. */
function readLine(): string | undefined {
  let line = '';
  const chunk = new Uint8Array(65_536);
  for (;;) {
    const size = read(0, chunk);
    if (size === 0) return undefined;
    const isLast = chunk[size - 1] === 10;
    line += decode(chunk.subarray(0, size), { stream: !isLast });
    if (isLast) return line;
  }
}

/** Begins with a newline, in case the code left half a line on the channel. */
function send(text: string): void {
  const bytes = encode(`\n${text}\n`);
  for (let sent = 0; sent < bytes.length;) sent += write(CHANNEL, bytes, sent);
}

function describe(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error).slice(0, 2000);
    return `${error.name}: ${error.message}`.slice(0, 2000) + placeOf(error);
  } catch {
    return 'it threw something that cannot be shown';
  }
}

/** ` (tools/refund.mjs:12)`: the nearest line of the components. */
function placeOf({ stack = '' }: Error): string {
  for (const line of stack.split('\n')) {
    const from = line.trimStart().startsWith('at ') ? line.indexOf(`${root}/`) : -1;
    const place = from < 0 ? undefined : /^([\w./-]+:\d+):\d+/.exec(line.slice(from + root.length + 1))?.[1];
    if (place !== undefined) return ` (${place})`;
  }
  return '';
}

async function perform({ module, name }: HostRequest, args: unknown[]): Promise<HostAnswer> {
  let exports: Record<string, unknown>;
  try {
    exports = (await import(pathToFileURL(`${root}/${module}`).href)) as Record<string, unknown>;
  } catch (error) {
    return { ok: false, kind: 'bad_module', message: `${module} cannot be loaded: ${describe(error)}` };
  }
  const member = exports[name];
  if (member === undefined) return { ok: false, kind: 'bad_module', message: `${module} has no export "${name}"` };
  if (typeof member !== 'function') return { ok: true, value: member, args };
  try {
    return { ok: true, value: await apply(member as (...args: unknown[]) => unknown, undefined, args), args };
  } catch (error) {
    return { ok: false, kind: 'threw', message: describe(error) };
  }
}

/**
 * One answer as JSON; one that JSON cannot hold, or that is too long, becomes a refusal. The parts are written one by
 * one, so that a `toJSON` which the code put on every object cannot take the token away.
 */
function written(answer: HostAnswer, sentArgs: string | undefined, places: readonly ValueSlot[]): string {
  const refusal = (kind: string, message: string): string =>
    `{"ok":false,"kind":"${kind}","message":${stringify(message)}}`;
  if (!answer.ok) return refusal(answer.kind, answer.message);
  let text: string;
  try {
    const value = jsonOf(answer.value);
    const args = sentArgs === undefined ? '' : leftArgs(answer.args ?? [], sentArgs, places);
    text = `{"ok":true${args}${value === undefined ? '' : `,"value":${value}`}}`;
  } catch (error) {
    return refusal('threw', `the answer cannot be written as JSON: ${describe(error)}`);
  }
  if (text.length <= maxChars) return text;
  return refusal('too_large', `the answer has ${text.length} characters; at most ${maxChars} are taken`);
}

/** The arguments that the function changed; of a cached argument only the edits. */
function leftArgs(args: unknown[], sentArgs: string, places: readonly ValueSlot[]): string {
  let edits = '';
  for (let i = 0; i < places.length; i += 1) {
    const { 0: to, 1: name, 2: given } = places[i] as ValueSlot;
    const slot = to[0] as string;
    const made = editsBetween(name, given, jsonOf(at(args, to, 1)) ?? 'null');
    (args as unknown as Record<string, unknown>)[slot] = null;
    if (made.length > 0) edits += `${edits === '' ? '' : ','}[${slot},${jsonOf(made)}]`;
  }
  const left = jsonOf(args);
  return `${left === sentArgs ? '' : `,"args":${left}`}${edits === '' ? '' : `,"edits":[${edits}]`}`;
}

const atStart = builtIns();
const resourcesAtStart = activeResources().length;

function isSpent(): boolean {
  const cpu = cpuUsage();
  const hasWorkedLong = cpu.user + cpu.system > CPU_SECONDS_OF_ONE_PROCESS * 1_000_000;
  return hasWorkedLong || activeResources().length > resourcesAtStart || !isUnchanged(atStart);
}

/** A spent process gives no second answer: a fresh one must. */
async function answerAll(request: HostRequest, lineOfArgs: string): Promise<string> {
  let [answers, spent] = ['', false];
  for (let time = 0; time < request.times && !spent; time += 1) {
    const fresh = time === 0 && request.args !== undefined ? request : (parse(lineOfArgs) as HostRequest);
    // Not those of `fresh`: the copy contains the very same objects.
    const places = fresh.kept === undefined ? [] : ((parse(lineOfArgs) as HostRequest).kept as ValueSlot[]);
    const sentArgs = request.returnsArgs ? sentArgsOf(lineOfArgs, fresh) : undefined;
    const answer = await perform(request, argumentsOf(fresh));
    // One turn of the event loop: what the code left behind (a rejected promise, a timer) shows itself before the answer.
    await new Promise((resolve) => nextTurn(resolve));
    spent = isSpent();
    answers += (time === 0 ? '' : ',') + written(answer, sentArgs, places);
  }
  return `{"token":"${request.token}","spent":${spent},"answers":[${answers}]}`;
}

/** As text, between the two names, which nothing after them contains, except edits of cached values. */
function sentArgsOf(line: string, { args, kept: places }: HostRequest): string | undefined {
  if (places !== undefined) return stringify(args);
  const begin = apply(indexOf, line, [ARGS]) + ARGS.length;
  return apply(slice, line, [begin, apply(lastIndexOf, line, [SAME])]);
}

send('{"ready":true}');
let lineOfArgs = '{}';
for (let line = readLine(); line !== undefined; line = readLine()) {
  const request = parse(line) as HostRequest;
  if (request.args !== undefined) lineOfArgs = line;
  if (request.keep === undefined) send(await answerAll(request, lineOfArgs));
  else send(`{"token":"${request.token}","spent":false,"answers":[${keep(line, request.keep, request.drop)}]}`);
}
process.exit(0);
