/** The key under which a recording keeps an answer, and the shape of what it keeps. */
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import type { ModelRequest } from '../../ports/model.ts';
import { z } from 'zod';
import { Block, StopReason, Usage } from '../../transcript/message.ts';

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

/** The shape of `recording.json`. */
export const RecordingHead = z.strictObject({
  version: z.literal(1),
  simulated: z.boolean(),
  endpoint: z.string(),
});
export type RecordingHead = z.infer<typeof RecordingHead>;

/** `models/<model>.json`: facts from the catalogue. Loose, so that facts new in the port are not lost here. */
export const RecordedFacts = z.strictObject({
  version: z.literal(1),
  facts: z.looseObject({
    id: z.string(),
    window: z.number(),
    maxOutput: z.number(),
    boundThinking: z.boolean(),
    price: z.looseObject({ input: z.number(), output: z.number(), cacheWrite: z.number(), cacheRead: z.number() }),
    source: z.enum(['endpoint', 'table']),
  }),
});

/** The shape of `calls/<digest>.<n>.json`: the n-th answer to the same request; a 4xx is an answer too. */
export const RecordedModelCall = z.strictObject({
  version: z.literal(1),
  digest: z.string(),
  model: z.string(),
  parts: z.array(z.string()),
  answer: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('response'),
      response: z.looseObject({
        id: z.string(),
        model: z.string(),
        requestId: z.string().optional(),
        content: z.array(Block),
        stopReason: StopReason,
        usage: Usage,
        at: z.iso.datetime().optional(),
      }),
    }),
    /** `means` says which remedy would help (`ports/answer-meaning.ts`). */
    z.strictObject({ type: z.literal('refused'), message: z.string(), means: z.string().optional() }),
  ]),
});
export type RecordedModelCall = z.infer<typeof RecordedModelCall>;

export const HEAD_FILE = 'recording.json';

/** The files of a recording: one about all of it, one for each model, one for each answered call. */
export function callFile(digest: string, number: number): string {
  return `calls/${digest}.${number}.json`;
}

/** Some endpoints have model names with a slash. */
export function factsFile(model: string): string {
  return `models/${encodeURIComponent(model)}.json`;
}
