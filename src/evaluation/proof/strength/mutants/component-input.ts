/** The arguments of one call, as JSON, and the digest by which answers to them are remembered. */
import { sha256 } from '../../../../disk/sha256.ts';

export type ComponentInput = { text: string; digest: string };

export function componentInput(args: readonly unknown[]): ComponentInput {
  const text = JSON.stringify(args);
  return { text, digest: sha256(text) };
}

/** Returns each different input once, in its first order. */
export function dropRepeatedInputs(inputs: readonly ComponentInput[]): ComponentInput[] {
  return [...new Map(inputs.map((input) => [input.digest, input])).values()];
}
