/** The parts of an Inspect log (`.json`) that are read, and that are written. */
import { z } from 'zod';

const Id = z.union([z.string(), z.number()]).transform(String);
const ToolCall = z.object({
  id: z.string(),
  function: z.string(),
  arguments: z.record(z.string(), z.unknown()).catch({}),
});

export const InspectMessage = z.object({
  role: z.string(),
  content: z.unknown().optional(),
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
  function: z.string().nullish(),
  error: z.object({ type: z.string(), message: z.string() }).nullish(),
});
export type InspectMessage = z.infer<typeof InspectMessage>;

export const InspectScore = z.object({
  value: z.unknown(),
  answer: z.string().nullish(),
  explanation: z.string().nullish(),
});

export const InspectSample = z.object({
  id: Id,
  epoch: z.int().positive().default(1),
  input: z.unknown().optional(),
  messages: z.array(InspectMessage).default([]),
  scores: z.record(z.string(), InspectScore).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  error: z.object({ message: z.string() }).nullish(),
  limit: z.object({ type: z.string() }).nullish(),
  total_time: z.number().nonnegative().nullish(),
});
export type InspectSample = z.infer<typeof InspectSample>;

export const InspectLog = z.object({
  version: z.int(),
  status: z.string(),
  eval: z.object({
    task: z.string(),
    model: z
      .string()
      .nullish()
      .transform((name) => name ?? ''),
  }),
  samples: z.array(z.unknown()).nullish(),
});

/** Inspect's letters for correct, incorrect, partial and no answer, as the numbers that its own metrics count. */
const LETTERS: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0 };

/** The number of a score that is one value; undefined for a text that is no number, and for no value. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return undefined;
  if (Object.hasOwn(LETTERS, value)) return LETTERS[value];
  const text = value.trim().toLowerCase();
  if (text === 'yes' || text === 'true') return 1;
  if (text === 'no' || text === 'false') return 0;
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}
