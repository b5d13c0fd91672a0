/** The arguments of a question as one JSON text: long texts that travelled once stand at all their places again. */

type Path = readonly (string | number)[];

/** `packedArgs` and `same` as `shared-texts.ts` of the sandbox packs them, both as JSON. */
export function withSameTexts(packedArgs: string, same: string): string {
  const places = JSON.parse(same) as [to: Path, from: Path][];
  if (places.length === 0) return packedArgs;
  const args: unknown = JSON.parse(packedArgs);
  for (const [to, from] of places) {
    const last = to.at(-1);
    if (last !== undefined) (nodeAt(args, to.slice(0, -1)) as Record<string, unknown>)[last] = nodeAt(args, from);
  }
  return JSON.stringify(args);
}

function nodeAt(args: unknown, path: Path): unknown {
  let node = args;
  for (const key of path) node = (node as Record<string, unknown>)[key];
  return node;
}
