/** The files of a recording: one about all of it, one for each model, one for each answered call. */
import { z } from 'zod';
import { Block, StopReason, Usage } from '../../transcript/message.ts';

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

export function callFile(digest: string, number: number): string {
  return `calls/${digest}.${number}.json`;
}

/** Some endpoints have model names with a slash. */
export function factsFile(model: string): string {
  return `models/${encodeURIComponent(model)}.json`;
}
