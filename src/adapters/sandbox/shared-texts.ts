/** A long text that the arguments contain several times travels once: the host copies it to the other places. */

type Path = readonly string[];

/** `args` contains `null` at each first path of `same`; the text is at the second path. */
type Packed = { args: readonly unknown[]; same: readonly (readonly [to: Path, from: Path])[] };

/** Shorter texts cost less than their paths. */
const LONG = 512;

export function packTexts(args: readonly unknown[]): Packed {
  const same: [Path, Path][] = [];
  const seen = new Map<string, Path>();
  const path: string[] = [];
  const look = (node: object): void => {
    for (const key of Object.keys(node)) {
      const child = (node as Record<string, unknown>)[key];
      path.push(key);
      if (typeof child === 'object' && child !== null) look(child);
      else if (typeof child === 'string' && child.length >= LONG) {
        const first = seen.get(child);
        if (first === undefined) seen.set(child, [...path]);
        else same.push([[...path], first]);
      }
      path.pop();
    }
  };
  look(args);
  return { args: same.reduce((all, [to]) => emptied(all, to) as readonly unknown[], args), same };
}

/** A copy along the path, with nothing at its end. */
export function emptied(node: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return null;
  if (Array.isArray(node)) return node.with(Number(key), emptied(node[Number(key)], rest));
  const object = node as Record<string, unknown>;
  return { ...object, [key]: emptied(object[key], rest) };
}
