/** Sends a long text or a value once although the arguments repeat it: the host copies it to its other places. */

type Path = readonly string[];

/** `args` contains `null` at each first path of `same`; the text is at the second path. */
type Packed = { args: readonly unknown[]; same: readonly (readonly [to: Path, from: Path])[] };

/** Shorter texts cost less than their paths. */
const LONG = 512;

/** Objects are recognised down to the answer of a call in a trace; noting all of them would cost more than it saves. */
const MOST_KEYS = 5;

export function packTexts(args: readonly unknown[]): Packed {
  const same: [Path, Path][] = [];
  const seen = new Map<unknown, Path>();
  const path: string[] = [];
  const look = (node: object): void => {
    for (const key of Object.keys(node)) {
      const child = (node as Record<string, unknown>)[key];
      path.push(key);
      const isValue = typeof child === 'object' && child !== null;
      const isNoted = isValue && path.length <= MOST_KEYS;
      const first = isValue || (typeof child === 'string' && child.length >= LONG) ? seen.get(child) : undefined;
      if (first !== undefined) same.push([[...path], first]);
      else if (isValue) {
        if (isNoted) seen.set(child, [...path]);
        look(child);
      } else if (typeof child === 'string' && child.length >= LONG) seen.set(child, [...path]);
      path.pop();
    }
  };
  look(args);
  return { args: same.reduce((all, [to]) => clearPath(all, to) as readonly unknown[], args), same };
}

/** Returns a copy along the path with null at its end. */
export function clearPath(node: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return null;
  if (Array.isArray(node)) return node.with(Number(key), clearPath(node[Number(key)], rest));
  const object = node as Record<string, unknown>;
  return { ...object, [key]: clearPath(object[key], rest) };
}
