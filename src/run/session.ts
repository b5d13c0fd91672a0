/** The state of one session: one agent's conversation in a run, as one type (S3.1). */
import { z } from 'zod';

const Count = z.int().nonnegative();

/**
 * `live`: an agent is at work · `gated`: a person must decide · `stopped`: paused, errored or cut off, to be resumed · `done` ·
 * `idle`: a person's session that waits for their next message.
 */
export const SessionStatus = z.enum(['live', 'gated', 'stopped', 'done', 'idle']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const SessionState = z.strictObject({
  /** `<run>/<agent>`, and `/<lane>` when it is not the main one: what `tandem sessions show` takes. */
  id: z.string(),
  run: z.string(),
  scenario: z.string(),
  agent: z.string(),
  status: SessionStatus,
  /** The status of the run. */
  runStatus: z.string(),
  /** When the run's journal grew last. */
  lastAt: z.string(),
  /** Messages in the transcript, by origin, and how many of them the model is shown now. */
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
  /** The list as the agent last wrote it. */
  todos: z.array(z.strictObject({ text: z.string(), status: z.string() })),
  /** The skill that was loaded last and not put away, with the entry that contains its text. */
  activeSkill: z.strictObject({ name: z.string(), entry: z.string() }).nullable(),
  /** The tools that may be called now; an active skill may narrow them. */
  allowedTools: z.array(z.string()),
  /** The tools that may be called whatever skill is active. */
  persistentTools: z.array(z.string()),
  /** Paths that people named with `@`. */
  mentions: z.array(z.string()),
  /** The lane: `main`, `subagent-a3f9b2c1`, `chat-2`. */
  contextId: z.string(),
  /** The lane that opened this one. */
  parentContext: z.string().nullable(),
  /** Answers since the turn began, and how many a turn may have. */
  loops: Count,
  maxLoops: Count.nullable(),
  /** The model that answered last, else the one that is configured. */
  model: z.string().nullable(),
  /** The model that a person chose for this conversation, whatever answered last; none: the agent's own. */
  modelPreference: z.strictObject({ model: z.string(), actor: z.string(), at: z.string() }).nullable(),
  /** One thread a transcript: a sub-agent's lane is in its parent's. */
  threadId: z.string(),
  /** Who started the run. */
  userId: z.string(),
  /** The folder that the agent writes, relative to the run folder. */
  workspace: z.string().nullable(),
  /** The input files that people gave the run, relative to its folder. */
  uploads: z.array(z.string()),
  calls: Count,
  compactions: Count,
  tokens: z.strictObject({ input: Count, cacheRead: Count, output: Count }),
  costUsd: z.number().nonnegative(),
});
export type SessionState = z.infer<typeof SessionState>;
