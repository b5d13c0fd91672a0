/** Signatures of thinking and ids of tool calls: the state that a stateless server finds again in a later request. */
import { sha256 } from '../../../disk/sha256.ts';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../../parse-json.ts';

/** Fixed, so that a restarted server still recognises earlier signatures; it protects nothing. */
const KEY = 'tandem-simulator';

const Seal = z.strictObject({
  model: z.string(),
  /** The tokens of the thinking: with `display: omitted` the text itself is not sent. */
  tokens: z.int().nonnegative(),
  content: z.string(),
  prefix: z.string(),
});
export type Seal = z.infer<typeof Seal>;

export type Sealed = { model: string; tokens: number; thinking: string; prefix: string };

export function signThinking(sealed: Sealed): string {
  const { model, tokens, prefix } = sealed;
  const seal: Seal = { model, tokens, content: contentMac(sealed), prefix: prefixMac(model, prefix) };
  return Buffer.from(JSON.stringify(seal)).toString('base64');
}

/** Undefined for a signature that was not made here. */
export function readSeal(signature: string): Seal | undefined {
  return Seal.safeParse(parseJson(Buffer.from(signature, 'base64').toString('utf8'))).data;
}

export function isSignatureIntact(seal: Seal, thinking: string): boolean {
  return seal.content === contentMac({ ...seal, thinking });
}

export function isAtSignedPosition(seal: Seal, prefix: string): boolean {
  return seal.prefix === prefixMac(seal.model, prefix);
}

function contentMac({ model, tokens, thinking }: Pick<Sealed, 'model' | 'tokens' | 'thinking'>): string {
  return computeMac(['content', model, tokens, thinking]);
}

function prefixMac(model: string, prefix: string): string {
  return computeMac(['prefix', model, prefix]);
}

export function computeMac(parts: unknown[], key = KEY): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

type IssuedCall = { prefix: string; index: number; model: string; thought: boolean };

/** Equal requests get equal ids. The letter says whether the call came with thinking, and the digits of which model. */
export function toolUseId({ prefix, index, model, thought }: IssuedCall): string {
  const digest = sha256(JSON.stringify(['tool_use', prefix, index]));
  return `toolu_${thought ? 'T' : 'N'}${modelTag(model)}${digest.slice(0, 20)}`;
}

/** True when this model issued the call right after thinking, which the API wants back with it. */
export function cameWithThinking(id: string, model: string): boolean {
  return id.startsWith(`toolu_T${modelTag(model)}`);
}

function modelTag(model: string): string {
  return sha256(model).slice(0, 4);
}
