/** Runs in the sandbox: loads one generated module, answers one call on a separate channel, and ends. */
import { pathToFileURL } from 'node:url';
import { guardBuiltIns } from './guard-builtins.mts';
import { readLine, writeChannel } from './line-channel.mts';
import {
  buildArguments,
  followPath,
  editsBetween,
  toJson,
  cacheValue,
  type ValueSlot,
  type DuplicateText,
} from './cached-values.mts';

/**
 * One question; `token` is new for each, so that a line written by the generated code is never taken for an answer.
 * With `returnsArgs` the changed arguments are returned, or nothing when there is no change.
 */
export type HostRequest = {
  token: string;
  module: string;
  name: string;
  returnsArgs: boolean;
  args?: unknown[];
  /** Places of `args` that repeat the text of another place. */
  same?: DuplicateText[];
  /** Cached values to copy into `args`. */
  kept?: ValueSlot[];
  /** Asks to cache the value in `json` under this name instead of a question; values named in `drop` are forgotten. */
  keep?: string;
  drop?: string[];
};

/** Sent as `{token, spent, answers}`. A process that ran a component is always spent: no second call meets its state. */
type HostAnswer =
  | { ok: true; value?: unknown; args?: unknown[] }
  | { ok: false; kind: 'threw' | 'bad_module' | 'too_large'; message: string };

const ARGS = ',"args":';
const SAME = ',"same":';

const root = process.argv[2] ?? '/components';
const maxChars = Number(process.argv[3]);

// Saved before any generated code is loaded, so that later changes to the built-ins cannot reach these.
const { apply } = Reflect;
const { parse, stringify } = JSON;
const nextTurn = setImmediate;
const exit = process.exit.bind(process);

type TextMethod<Given extends unknown[], Found> = (this: string, ...given: Given) => Found;
const indexOf = Reflect.get(String.prototype, 'indexOf') as TextMethod<[part: string], number>;
const lastIndexOf = Reflect.get(String.prototype, 'lastIndexOf') as TextMethod<[part: string], number>;
const slice = Reflect.get(String.prototype, 'slice') as TextMethod<[from: number, to: number], string>;

function describeError(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error).slice(0, 2000);
    return `${error.name}: ${error.message}`.slice(0, 2000) + findErrorPlace(error);
  } catch {
    return 'it threw something that cannot be shown';
  }
}

/** Returns a place such as ` (tools/refund.mjs:12)`: the nearest line of a component. */
function findErrorPlace({ stack = '' }: Error): string {
  for (const line of stack.split('\n')) {
    const from = line.trimStart().startsWith('at ') ? line.indexOf(`${root}/`) : -1;
    const place = from < 0 ? undefined : /^([\w./-]+:\d+):\d+/.exec(line.slice(from + root.length + 1))?.[1];
    if (place !== undefined) return ` (${place})`;
  }
  return '';
}

async function callExport({ module, name }: HostRequest, args: unknown[]): Promise<HostAnswer> {
  let exports: Record<string, unknown>;
  try {
    exports = (await import(pathToFileURL(`${root}/${module}`).href)) as Record<string, unknown>;
  } catch (error) {
    return { ok: false, kind: 'bad_module', message: `${module} cannot be loaded: ${describeError(error)}` };
  }
  const member = exports[name];
  if (member === undefined) return { ok: false, kind: 'bad_module', message: `${module} has no export "${name}"` };
  if (typeof member !== 'function') return { ok: true, value: member, args };
  try {
    return { ok: true, value: await apply(member as (...args: unknown[]) => unknown, undefined, args), args };
  } catch (error) {
    return { ok: false, kind: 'threw', message: describeError(error) };
  }
}

/**
 * Formats one answer as JSON. A value that JSON cannot hold, or that is too long, becomes a refusal. The parts are
 * written one by one, so that a `toJSON` put on every object cannot remove the token.
 */
function formatAnswer(answer: HostAnswer, sentArgs: string | undefined, places: readonly ValueSlot[]): string {
  const refusal = (kind: string, message: string): string =>
    `{"ok":false,"kind":"${kind}","message":${stringify(message)}}`;
  if (!answer.ok) return refusal(answer.kind, answer.message);
  let text: string;
  try {
    const value = toJson(answer.value);
    const args = sentArgs === undefined ? '' : formatChangedArgs(answer.args ?? [], sentArgs, places);
    text = `{"ok":true${args}${value === undefined ? '' : `,"value":${value}`}}`;
  } catch (error) {
    return refusal('threw', `the answer cannot be written as JSON: ${describeError(error)}`);
  }
  if (text.length <= maxChars) return text;
  return refusal('too_large', `the answer has ${text.length} characters; at most ${maxChars} are taken`);
}

/** Returns the changed arguments; for a cached argument, only its edits. */
function formatChangedArgs(args: unknown[], sentArgs: string, places: readonly ValueSlot[]): string {
  let edits = '';
  for (let i = 0; i < places.length; i += 1) {
    const { 0: to, 1: name, 2: given } = places[i] as ValueSlot;
    const slot = to[0] as string;
    const made = editsBetween(name, given, toJson(followPath(args, to, 1)) ?? 'null');
    (args as unknown as Record<string, unknown>)[slot] = null;
    if (made.length > 0) edits += `${edits === '' ? '' : ','}[${slot},${toJson(made)}]`;
  }
  const left = toJson(args);
  return `${left === sentArgs ? '' : `,"args":${left}`}${edits === '' ? '' : `,"edits":[${edits}]`}`;
}

async function answerRequest(line: string): Promise<string> {
  const request = parse(line) as HostRequest;
  // Read from the line again, because the arguments will contain the very objects of `request`.
  const places = request.kept === undefined ? [] : ((parse(line) as HostRequest).kept as ValueSlot[]);
  const sentArgs = request.returnsArgs ? readSentArgs(line, request) : undefined;
  const given = await callExport(request, buildArguments(request));
  // Waits one turn of the event loop, so that a rejected promise of the code shows itself before the answer.
  await new Promise((resolve) => nextTurn(resolve));
  return `{"token":"${request.token}","spent":true,"answers":[${formatAnswer(given, sentArgs, places)}]}`;
}

/** Cuts the arguments out of the line as text, between two member names that only edits of cached values can repeat. */
function readSentArgs(line: string, { args, kept: places }: HostRequest): string | undefined {
  if (places !== undefined) return stringify(args);
  const begin = apply(indexOf, line, [ARGS]) + ARGS.length;
  return apply(slice, line, [begin, apply(lastIndexOf, line, [SAME])]);
}

if (process.argv[4] === 'guarded') guardBuiltIns(import.meta.url);
writeChannel('{"ready":true}');
for (let line = readLine(); line !== undefined; line = readLine()) {
  const { token, keep: name, drop } = parse(line) as HostRequest;
  if (name === undefined) {
    writeChannel(await answerRequest(line));
    break;
  }
  writeChannel(`{"token":"${token}","spent":false,"answers":[${cacheValue(line, name, drop)}]}`);
}
exit(0);
