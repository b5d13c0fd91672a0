/** Computes the key by which a recording recognises equal requests. */
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import type { ModelRequest } from '../../ports/model.ts';

export type RequestKey = {
  /** The digest of the whole request. */
  digest: string;
  /** Digests of model and limits, of system, of tools, and of each message: they show where two requests diverge. */
  parts: string[];
};

const PART_LENGTH = 12;
/** Results and traces contain the duration of a trial; agents read it, and it differs in every run. */
const MEASURED = /(\\*"durationMs\\*":\s*)\d+(?:\.\d+)?/g;

export function requestKey(request: ModelRequest): RequestKey {
  const { system, tools, messages, ...rest } = request;
  const parts = [rest, system, tools, ...messages].map((part) => sha256(normalizeJson(part)).slice(0, PART_LENGTH));
  return { digest: sha256(normalizeJson(request)), parts };
}

function normalizeJson(value: unknown): string {
  return canonicalJson(value).replace(MEASURED, '$10');
}

const PART_NAMES = ['the model or its limits', 'the system prompt', 'the tools'];

/** `message 14 of 16 (user)`: the first part of `request` that the recorded one does not have. */
export function firstRequestDifference(request: ModelRequest, recorded: readonly string[]): string {
  const { parts } = requestKey(request);
  const index = parts.findIndex((part, position) => part !== recorded[position]);
  if (index === -1) return `the recorded one goes on for ${recorded.length - parts.length} more messages`;
  const message = request.messages[index - PART_NAMES.length];
  const where = `message ${index - PART_NAMES.length + 1} of ${request.messages.length}`;
  return PART_NAMES[index] ?? `${where} (${message?.role ?? 'unknown'})`;
}

/** Counts how many leading parts two requests share. */
export function sharedParts(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((part, position) => part !== other[position]);
  return differs === -1 ? one.length : differs;
}
