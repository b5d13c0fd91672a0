/** `traces/<sample>.<trial>.calls.json`: the very bytes of each model call of a trial, packed together; for people, no agent is shown them. */
import { z } from 'zod';

const Count = z.int().nonnegative();
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** One request that went out, and what came back; over HTTP with a status. */
const CallTry = z.strictObject({
  status: z.int().optional(),
  /** It begins with `head` bytes of the party's request before, and ends with `tail` of it; what lies between is packed. */
  request: z.strictObject({ bytes: Count, sha256: Sha256, head: Count, tail: Count }),
  answer: z.strictObject({ bytes: Count, sha256: Sha256 }),
  /** Where its bytes begin in what is packed; those of the answer follow. */
  at: Count,
});

const TrialCall = z.strictObject({
  /** `subject`, `user`, or `grader <id>`. */
  by: z.string(),
  /** Of the subject, at the time. */
  step: Count,
  /** Empty where nothing was sent: the answer was remembered, or came from a recording. */
  tries: z.array(CallTry),
});

export const TrialCalls = z.strictObject({
  version: z.literal(1),
  /** In the order in which they began. */
  calls: z.array(TrialCall),
  /** Base64. */
  zstd: z.string(),
});
export type TrialCalls = z.infer<typeof TrialCalls>;
