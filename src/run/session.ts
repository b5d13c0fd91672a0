/** The state of one session: everything that one agent's conversation of a run has come to, as one type (S3.1). */
import { z } from 'zod';

const Count = z.int().nonnegative();

/** `live`: an agent is at work · `gated`: a person must decide · `stopped`: paused or errored, to be resumed · `done`. */
export const SessionStatus = z.enum(['live', 'gated', 'stopped', 'done']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const SessionState = z.strictObject({
  /** `<run>/<agent>`, and `/<lane>` when it is not the main one: what `tandem sessions show` takes. */
  id: z.string(),
  run: z.string(),
  scenario: z.string(),
  agent: z.string(),
  status: SessionStatus,
  /** Of the run, in its own word. */
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
  /** Every image that came up, by the entry that holds it. */
  images: z.array(z.strictObject({ entry: z.string(), media: z.string(), inView: z.boolean() })),
  /** As the agent wrote the list last. */
  todos: z.array(z.strictObject({ text: z.string(), status: z.string() })),
  /** The skill that was loaded last and not put away, by the entry that holds its text. */
  activeSkill: z.strictObject({ name: z.string(), entry: z.string() }).nullable(),
  /** What may be called now; an active skill may narrow it. */
  allowedTools: z.array(z.string()),
  /** What may be called whatever skill is active. */
  persistentTools: z.array(z.string()),
  /** Paths that people named with `@`. */
  mentions: z.array(z.string()),
  /** The lane: `main`, `subagent-a3f9b2c1`, `chat-2`. */
  contextId: z.string(),
  /** The lane that it came from. */
  parentContext: z.string().nullable(),
  /** Answers since the turn began, and how many a turn may have. */
  loops: Count,
  maxLoops: Count.nullable(),
  /** The model that answered last, else the one that is configured. */
  model: z.string().nullable(),
  /** One thread a transcript: a sub-agent's lane is in its parent's. */
  threadId: z.string(),
  /** Who started the run. */
  userId: z.string(),
  /** The folder that the agent writes, relative to the run folder. */
  workspace: z.string().nullable(),
  /** What people gave the run to read, relative to its folder. */
  uploads: z.array(z.string()),
  calls: Count,
  compactions: Count,
  tokens: z.strictObject({ input: Count, cacheRead: Count, output: Count }),
  costUsd: z.number().nonnegative(),
});
export type SessionState = z.infer<typeof SessionState>;
