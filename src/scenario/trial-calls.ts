/** The shape of `traces/<sample>.<trial>.calls.json`: the bytes of a trial's model calls, for people and no agent. */
import { z } from 'zod';

const Count = z.int().nonnegative();
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** One request that was sent, with its answer; over HTTP it has a status. */
const CallTry = z.strictObject({
  status: z.int().optional(),
  /** Shares `head` first and `tail` last bytes with the party's request before; only the bytes between are packed. */
  request: z.strictObject({ bytes: Count, sha256: Sha256, head: Count, tail: Count }),
  answer: z.strictObject({ bytes: Count, sha256: Sha256 }),
  /** The offset of its bytes in the packed data; those of the answer follow. */
  at: Count,
});

const TrialCall = z.strictObject({
  /** `subject`, `user`, or `grader <id>`. */
  by: z.string(),
  /** The subject's step at that time. */
  step: Count,
  /** The requests; empty where the answer was cached or came from a recording. */
  tries: z.array(CallTry),
});

export const TrialCalls = z.strictObject({
  version: z.literal(1),
  /** The calls in the order of their beginning. */
  calls: z.array(TrialCall),
  /** The packed bytes in Base64. */
  zstd: z.string(),
});
export type TrialCalls = z.infer<typeof TrialCalls>;
