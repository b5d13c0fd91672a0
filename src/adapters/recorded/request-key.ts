/** What makes two requests the same request to a recording. */
import { canonicalJson } from '../../disk/canonical-json.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { ModelRequest } from '../../ports/model.ts';

export type RequestKey = {
  /** Of the whole request. */
  digest: string;
  /** Of model and limits, system, tools, then of every message: they tell where two requests part. */
  parts: string[];
};

const PART_LENGTH = 12;
/** Results and traces tell how long a trial took; agents read them, and it is never the same twice. */
const MEASURED = /(\\*"durationMs\\*":\s*)\d+(?:\.\d+)?/g;

export function requestKey(request: ModelRequest): RequestKey {
  const { system, tools, messages, ...rest } = request;
  const parts = [rest, system, tools, ...messages].map((part) => sha256(steady(part)).slice(0, PART_LENGTH));
  return { digest: sha256(steady(request)), parts };
}

function steady(value: unknown): string {
  return canonicalJson(value).replace(MEASURED, '$10');
}

const NAMES = ['the model or its limits', 'the system prompt', 'the tools'];

/** `message 14 of 16 (user)`: the first part of `request` that the recorded one does not have. */
export function firstRequestDifference(request: ModelRequest, recorded: readonly string[]): string {
  const { parts } = requestKey(request);
  const index = parts.findIndex((part, position) => part !== recorded[position]);
  if (index === -1) return `the recorded one goes on for ${recorded.length - parts.length} more messages`;
  const message = request.messages[index - NAMES.length];
  const where = `message ${index - NAMES.length + 1} of ${request.messages.length}`;
  return NAMES[index] ?? `${where} (${message?.role ?? 'unknown'})`;
}

/** How many leading parts two requests share. */
export function sharedParts(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((part, position) => part !== other[position]);
  return differs === -1 ? one.length : differs;
}
