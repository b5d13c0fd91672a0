/** The arguments of one call, as JSON, and the digest by which answers to them are remembered. */
import { sha256 } from '../../../../disk/sha256.ts';

export type ComponentInput = { args: readonly unknown[]; text: string; digest: string };

export function componentInput(args: readonly unknown[]): ComponentInput {
  const text = JSON.stringify(args);
  return { args, text, digest: sha256(text) };
}

/** Returns each different input once, in its first order. */
export function dropRepeatedInputs(inputs: readonly ComponentInput[]): ComponentInput[] {
  return [...new Map(inputs.map((input) => [input.digest, input])).values()];
}

/** Cuts a list, in its order, into parts whose inputs one call can carry. */
export function splitBatches<One>(
  list: readonly One[],
  readText: (one: One) => string,
  { mostChars, most = Infinity }: { mostChars: number; most?: number },
): One[][] {
  const batches: One[][] = [];
  let chars = 0;
  for (const one of list) {
    const { length } = readText(one);
    const last = batches.at(-1);
    const isFull = last === undefined || last.length >= most || chars + length > mostChars;
    if (isFull) batches.push([one]);
    else last.push(one);
    chars = isFull ? length : chars + length;
  }
  return batches;
}
