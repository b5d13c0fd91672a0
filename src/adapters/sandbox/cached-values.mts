/** Runs next to untrusted code: caches large values as text, makes a fresh copy with edits for each question, and turns changes into edits. */

/** As in an RFC 6902 patch, with the path as a list of keys; `add` to an array puts it between. */
export type Edit = [op: 'add' | 'replace' | 'remove', path: string[], value?: unknown];
/** A place in the arguments for a copy of a cached value, its name, and its edits. */
export type ValueSlot = [to: string[], name: string, edits: Edit[]];
/** A place in the arguments that repeats the text of another place. */
export type DuplicateText = [to: string[], from: string[]];
type Holder = Record<string, unknown>;

// Taken before any generated code is loaded.
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

/** Text by name: generated code can change a copy, but not the next one. */
const texts = Object.create(null) as Record<string, string>;

/** Stores the value of `json`, the last member of a line; returns the outcome. */
export function keep(line: string, name: string, drop: readonly string[] = []): string {
  const begin = apply(indexOf, line, [JSON_OF_KEPT]) + JSON_OF_KEPT.length;
  // The last brace closes the message, and the line may end.
  shelve(name, apply(slice, line, [begin, line.length - (line[line.length - 1] === '\n' ? 2 : 1)]), drop);
  return '{"ok":true}';
}

/** Stores a JSON text, and drops others by name. */
export function shelve(name: string, text: string, drop: readonly string[]): void {
  for (let i = 0; i < drop.length; i += 1) delete texts[drop[i] as string];
  texts[name] = text;
}

/** The arguments with all copies in place; written without iterators, which generated code may have changed. */
export function argumentsOf({ args = [], same = [], kept = [], returnsArgs }: Given): unknown[] {
  for (let i = 0; i < same.length; i += 1) {
    const { 0: to, 1: from } = same[i] as DuplicateText;
    put(args, to, at(args, from, from.length));
  }
  for (let i = 0; i < kept.length; i += 1) {
    const { 0: to, 1: name, 2: edits } = kept[i] as ValueSlot;
    if (returnsArgs === false && to.length > 1) putLater(args, to, () => freshCopy(name, edits));
    else put(args, to, freshCopy(name, edits));
  }
  return args;
}

type Given = { args?: unknown[]; same?: DuplicateText[]; kept?: ValueSlot[]; returnsArgs?: boolean };

/** A checker that never reads a large world does not wait for a copy of it. */
function putLater(args: unknown[], to: readonly string[], make: () => unknown): void {
  const [holder, key] = [at(args, to, to.length - 1), to[to.length - 1] as string];
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

function put(args: unknown[], to: readonly string[], value: unknown): void {
  at(args, to, to.length - 1)[to[to.length - 1] as string] = value;
}

/** A copy that shares nothing with any other. */
function freshCopy(name: string, edits: readonly Edit[]): unknown {
  let root = parse(texts[name] as string) as unknown;
  for (let i = 0; i < edits.length; i += 1) root = edited(root, edits[i] as Edit);
  return root;
}

function edited(root: unknown, [op, path, value]: Edit): unknown {
  if (path.length === 0) return value;
  const parent = at(root, path, path.length - 1);
  const last = path[path.length - 1] as string;
  if (isArray(parent) && op === 'add') apply(splice, parent, [Number(last), 0, value]);
  else if (isArray(parent) && op === 'remove') apply(splice, parent, [Number(last), 1]);
  else if (op === 'remove') delete parent[last];
  else parent[last] = value;
  return root;
}

/** The value after `steps` keys of a path. */
export function at(root: unknown, path: readonly string[], steps: number): Holder {
  let node = root as Holder;
  for (let i = 0; i < steps; i += 1) node = node[path[i] as string] as Holder;
  return node;
}

/** Edits from the given value to the one that is left (JSON). */
export function editsBetween(name: string, edits: readonly Edit[], left: string): Edit[] {
  if (left === (edits.length === 0 ? texts[name] : stringify(freshCopy(name, edits)))) return [];
  const found: Edit[] = [];
  compare(freshCopy(name, edits), parse(left), { path: [], found });
  return found;
}

/** Where two values are compared, and the edits found so far. */
type Comparison = { path: string[]; found: Edit[] };

function compare(before: unknown, after: unknown, to: Comparison): void {
  if (before === after) return;
  if (isArray(before) && isArray(after)) compareArrays(before, after, to);
  else if (isObject(before) && isObject(after)) compareObjects(before, after, to);
  else to.found[to.found.length] = ['replace', to.path, after];
}

function compareObjects(before: Holder, after: Holder, { path, found }: Comparison): void {
  const [were, are] = [keys(before), keys(after)];
  for (let i = 0; i < were.length; i += 1) {
    const key = were[i] as string;
    if (!hasOwn(after, key)) found[found.length] = ['remove', below(path, key)];
    else if (before[key] !== after[key]) compare(before[key], after[key], { path: below(path, key), found });
  }
  for (let i = 0; i < are.length; i += 1) {
    const key = are[i] as string;
    if (!hasOwn(before, key)) found[found.length] = ['add', below(path, key), after[key]];
  }
}

function compareArrays(before: unknown[], after: unknown[], { path, found }: Comparison): void {
  const both = before.length < after.length ? before.length : after.length;
  for (let i = 0; i < both; i += 1) compare(before[i], after[i], { path: below(path, `${i}`), found });
  for (let i = before.length - 1; i >= both; i -= 1) found[found.length] = ['remove', below(path, `${i}`)];
  for (let i = both; i < after.length; i += 1) found[found.length] = ['add', below(path, `${i}`), after[i]];
}

function isObject(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !isArray(value);
}

function below(path: readonly string[], key: string): string[] {
  const longer: string[] = [];
  for (let i = 0; i < path.length; i += 1) longer[i] = path[i] as string;
  longer[path.length] = key;
  return longer;
}

/** JSON would silently turn such numbers into null. */
function finite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !isFinite(value)) throw new RangeError(`${key === '' ? 'it' : key} is ${value}`);
  return value;
}

/** JSON writes an unsupported number as null: only then is each value checked. */
export function jsonOf(value: unknown): string | undefined {
  const text = stringify(value) as string | undefined;
  const isSound = text === undefined || !apply(includes, text, ['null']) || !holdsNoNumber(value);
  return isSound ? text : stringify(value, finite);
}

function holdsNoNumber(value: unknown): boolean {
  if (typeof value === 'number') return !isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  const names = keys(value);
  for (let i = 0; i < names.length; i += 1) if (holdsNoNumber((value as Holder)[names[i] as string])) return true;
  return false;
}
