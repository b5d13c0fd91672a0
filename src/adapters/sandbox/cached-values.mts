/** Runs next to untrusted code: caches large values as text, makes a fresh copy with edits for each question, and turns changes into edits. */

/** An edit as in an RFC 6902 patch, with the path as a list of keys; `add` to an array inserts the value. */
export type Edit = [op: 'add' | 'replace' | 'remove', path: string[], value?: unknown];
/** A place in the arguments for a copy of a cached value, its name, and its edits. */
export type ValueSlot = [to: string[], name: string, edits: Edit[]];
/** A place in the arguments that repeats the text or value of another place. */
export type DuplicateText = [to: string[], from: string[]];
type Holder = Record<string, unknown>;

// Saved before any generated code is loaded.
const { parse, stringify } = JSON;
const { isArray } = Array;
const { keys, hasOwn, defineProperty } = Object;
const { isFinite } = Number;
const { apply } = Reflect;
const splice = Reflect.get(Array.prototype, 'splice') as (from: number, cut: number, ...put: unknown[]) => unknown[];
const includes = Reflect.get(String.prototype, 'includes');
const indexOf = Reflect.get(String.prototype, 'indexOf');
const slice = Reflect.get(String.prototype, 'slice');
const JSON_OF_KEPT = ',"json":';

/** Caches texts by name: generated code can change a copy, but not the next one. */
const texts = Object.create(null) as Record<string, string>;

/** Stores the value of `json`, the last member of a line; returns the outcome. */
export function cacheValue(line: string, name: string, drop: readonly string[] = []): string {
  const begin = apply(indexOf, line, [JSON_OF_KEPT]) + JSON_OF_KEPT.length;
  // The last brace closes the message, and the line may end with a newline.
  cacheText(name, apply(slice, line, [begin, line.length - (line[line.length - 1] === '\n' ? 2 : 1)]), drop);
  return '{"ok":true}';
}

/** Stores a JSON text, and drops others by name. */
export function cacheText(name: string, text: string, drop: readonly string[]): void {
  for (let i = 0; i < drop.length; i += 1) delete texts[drop[i] as string];
  texts[name] = text;
}

/** Fills in all copies, without iterators, because generated code may have changed those. */
export function buildArguments({ args = [], same = [], kept = [], returnsArgs }: GivenArguments): unknown[] {
  for (let i = 0; i < same.length; i += 1) {
    const { 0: to, 1: from } = same[i] as DuplicateText;
    const value = followPath(args, from, from.length) as unknown;
    // Each place has its own copy, as if it had been sent.
    setAtPath(args, to, typeof value === 'object' && value !== null ? parse(stringify(value)) : value);
  }
  for (let i = 0; i < kept.length; i += 1) {
    const { 0: to, 1: name, 2: edits } = kept[i] as ValueSlot;
    if (returnsArgs === false && to.length > 1) putLater(args, to, () => freshCopy(name, edits));
    else setAtPath(args, to, freshCopy(name, edits));
  }
  return args;
}

type GivenArguments = { args?: unknown[]; same?: DuplicateText[]; kept?: ValueSlot[]; returnsArgs?: boolean };

/** Copies the value at its first access, so a checker that never reads a large world does not wait for the copy. */
function putLater(args: unknown[], to: readonly string[], make: () => unknown): void {
  const [holder, key] = [followPath(args, to, to.length - 1), to[to.length - 1] as string];
  const become = (value: unknown): unknown => {
    defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  defineProperty(holder, key, {
    get: () => become(make()),
    set: become,
    enumerable: true,
    configurable: true,
  });
}

function setAtPath(args: unknown[], to: readonly string[], value: unknown): void {
  followPath(args, to, to.length - 1)[to[to.length - 1] as string] = value;
}

/** Makes a copy that shares nothing with any other. */
function freshCopy(name: string, edits: readonly Edit[]): unknown {
  let root = parse(texts[name] as string) as unknown;
  for (let i = 0; i < edits.length; i += 1) root = applyEdit(root, edits[i] as Edit);
  return root;
}

function applyEdit(root: unknown, [op, path, value]: Edit): unknown {
  if (path.length === 0) return value;
  const parent = followPath(root, path, path.length - 1);
  const last = path[path.length - 1] as string;
  if (isArray(parent) && op === 'add') apply(splice, parent, [Number(last), 0, value]);
  else if (isArray(parent) && op === 'remove') apply(splice, parent, [Number(last), 1]);
  else if (op === 'remove') delete parent[last];
  else parent[last] = value;
  return root;
}

/** Returns the value after `steps` keys of a path. */
export function followPath(root: unknown, path: readonly string[], steps: number): Holder {
  let node = root as Holder;
  for (let i = 0; i < steps; i += 1) node = node[path[i] as string] as Holder;
  return node;
}

/** Returns the edits that lead from the given value to the one left behind, which is JSON. */
export function editsBetween(name: string, edits: readonly Edit[], left: string): Edit[] {
  if (left === (edits.length === 0 ? texts[name] : stringify(freshCopy(name, edits)))) return [];
  const found: Edit[] = [];
  compareValues(freshCopy(name, edits), parse(left), { path: [], found });
  return found;
}

/** Where two values are compared, and the edits found so far. */
type Comparison = { path: string[]; found: Edit[] };

function compareValues(before: unknown, after: unknown, to: Comparison): void {
  if (before === after) return;
  if (isArray(before) && isArray(after)) compareArrays(before, after, to);
  else if (isObject(before) && isObject(after)) compareObjects(before, after, to);
  else to.found[to.found.length] = ['replace', to.path, after];
}

function compareObjects(before: Holder, after: Holder, { path, found }: Comparison): void {
  const [were, are] = [keys(before), keys(after)];
  for (let i = 0; i < were.length; i += 1) {
    const key = were[i] as string;
    if (!hasOwn(after, key)) found[found.length] = ['remove', appendKey(path, key)];
    else if (before[key] !== after[key]) compareValues(before[key], after[key], { path: appendKey(path, key), found });
  }
  for (let i = 0; i < are.length; i += 1) {
    const key = are[i] as string;
    if (!hasOwn(before, key)) found[found.length] = ['add', appendKey(path, key), after[key]];
  }
}

function compareArrays(before: unknown[], after: unknown[], { path, found }: Comparison): void {
  const both = before.length < after.length ? before.length : after.length;
  for (let i = 0; i < both; i += 1) compareValues(before[i], after[i], { path: appendKey(path, `${i}`), found });
  for (let i = before.length - 1; i >= both; i -= 1) found[found.length] = ['remove', appendKey(path, `${i}`)];
  for (let i = both; i < after.length; i += 1) found[found.length] = ['add', appendKey(path, `${i}`), after[i]];
}

function isObject(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !isArray(value);
}

function appendKey(path: readonly string[], key: string): string[] {
  const longer: string[] = [];
  for (let i = 0; i < path.length; i += 1) longer[i] = path[i] as string;
  longer[path.length] = key;
  return longer;
}

/** JSON would silently turn such numbers into null. */
function requireFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !isFinite(value)) throw new RangeError(`${key === '' ? 'it' : key} is ${value}`);
  return value;
}

/** JSON writes an unsupported number as null, so only a text with null makes it check each value. */
export function toJson(value: unknown): string | undefined {
  const text = stringify(value) as string | undefined;
  const isSound = text === undefined || !apply(includes, text, ['null']) || !holdsNoNumber(value);
  return isSound ? text : stringify(value, requireFinite);
}

function holdsNoNumber(value: unknown): boolean {
  if (typeof value === 'number') return !isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  const names = keys(value);
  for (let i = 0; i < names.length; i += 1) if (holdsNoNumber((value as Holder)[names[i] as string])) return true;
  return false;
}
