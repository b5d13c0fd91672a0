/** The state of one session, which is one agent's conversation in a run (S3.1). */
import { z } from 'zod';

const Count = z.int().nonnegative();

/**
 * `live`: an agent is at work · `gated`: a person must decide · `stopped`: paused, errored or cut off, to be resumed · `done` ·
 * `idle`: a person's session that waits for their next message.
 */
export const SessionStatus = z.enum(['live', 'gated', 'stopped', 'done', 'idle']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const SessionState = z.strictObject({
  /** `<run>/<agent>`, followed by `/<lane>` for a lane other than the main one; `tandem sessions show` takes it. */
  id: z.string(),
  run: z.string(),
  scenario: z.string(),
  agent: z.string(),
  status: SessionStatus,
  /** The status of the run. */
  runStatus: z.string(),
  /** The time of the newest event in the run's journal. */
  lastAt: z.string(),
  /** The number of messages in the transcript by origin, and how many of them the model sees now. */
  messages: z.strictObject({
    total: Count,
    inView: Count,
    human: Count,
    harness: Count,
    model: Count,
    tools: Count,
    reminder: Count,
  }),
  /** All images, each with the entry that contains it. */
  images: z.array(z.strictObject({ entry: z.string(), media: z.string(), inView: z.boolean() })),
  /** The todo list as the agent wrote it last. */
  todos: z.array(z.strictObject({ text: z.string(), status: z.string() })),
  /** The last loaded skill that is still active, with the entry that contains its text. */
  activeSkill: z.strictObject({ name: z.string(), entry: z.string() }).nullable(),
  /** The tools that may be called now, which an active skill may narrow. */
  allowedTools: z.array(z.string()),
  /** The tools that may be called under every skill. */
  persistentTools: z.array(z.string()),
  /** Paths that people mentioned with `@`. */
  mentions: z.array(z.string()),
  /** The lane: `main`, `subagent-a3f9b2c1`, `chat-2`. */
  contextId: z.string(),
  /** The lane that opened this one. */
  parentContext: z.string().nullable(),
  /** The number of answers since the turn began, and the most that a turn may have. */
  loops: Count,
  maxLoops: Count.nullable(),
  /** The model that answered last, or else the configured one. */
  model: z.string().nullable(),
  /** The model that a person chose for this conversation; null means the agent's own. */
  modelPreference: z.strictObject({ model: z.string(), actor: z.string(), at: z.string() }).nullable(),
  /** The transcript's id; the lane of a sub-agent shares that of its parent. */
  threadId: z.string(),
  /** The actor who started the run. */
  userId: z.string(),
  /** The folder that the agent writes, relative to the run folder. */
  workspace: z.string().nullable(),
  /** The input files that people gave to the run, relative to its folder. */
  uploads: z.array(z.string()),
  calls: Count,
  compactions: Count,
  tokens: z.strictObject({ input: Count, cacheRead: Count, output: Count }),
  costUsd: z.number().nonnegative(),
});
export type SessionState = z.infer<typeof SessionState>;
