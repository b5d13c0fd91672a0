/** Long texts that stand at several places of the arguments travel once: the host puts them where they belong. */

type Path = readonly (string | number)[];

/** `null` stands in `args` at each place that `same` names first; the text stands at the place that it names second. */
export type Packed = { args: readonly unknown[]; same: readonly (readonly [to: Path, from: Path])[] };

/** Shorter ones cost less than to say where they are. */
const LONG = 512;

export function packTexts(args: readonly unknown[]): Packed {
  const same: [Path, Path][] = [];
  const seen = new Map<string, Path>();
  const path: (string | number)[] = [];
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

export function textAt(args: unknown, path: Path): string {
  let node = args;
  for (const key of path) node = (node as Record<string, unknown>)[key];
  return String(node);
}
