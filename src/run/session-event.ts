/** Everything that can happen to a person's session with an agent, in the shapes of its journal. */
import { z } from 'zod';
import { RunEvent } from './event.ts';

const body = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

/** `answered`: the agent ended its turn · `stopped`: a person stopped it · `failed`: `why` says what went wrong. */
export const TurnEnd = z.enum(['answered', 'stopped', 'failed']);
export type TurnEnd = z.infer<typeof TurnEnd>;

export const SessionBody = z.discriminatedUnion('type', [
  body('session.started', {
    machineVersion: z.literal(1),
    agent: z.string(),
    budgetUsd: z.number().positive(),
    simulated: z.boolean(),
    /** Its files can be read; absolute path of its folder. */
    run: z.strictObject({ id: z.string(), dir: z.string() }).optional(),
    forkedFrom: z.strictObject({ session: z.string() }).optional(),
  }),
  /** Durable before anything is paid for it. `after`: the entry that it follows, empty for none. */
  body('session.said', {
    turn: z.int().positive(),
    lane: z.string(),
    after: z.string(),
    text: z.string(),
    /** What the model gets of it; absent for a requested compaction. */
    sent: z.string().optional(),
    /** The texts of the files that were named: material before the message, no words of a person that are carried. */
    attached: z.string().optional(),
    /** Copies of the files that were named, relative to the session. */
    files: z.array(z.string()),
    images: z.array(z.string()),
    via: z.string(),
  }),
  body('session.answered', {
    turn: z.int().positive(),
    end: TurnEnd,
    why: z.string().optional(),
    code: z.string().optional(),
    /** Its entries; absent when nothing was said. */
    entries: z.strictObject({ first: z.string(), last: z.string() }).optional(),
    calls: z.int().nonnegative(),
    usd: z.number().nonnegative(),
  }),
  body('session.set', {
    model: z.string().optional(),
    policy: z.string().optional(),
    budgetUsd: z.number().positive().optional(),
  }),
  /** This turn and all after it are taken back; they stay on record. */
  body('session.undone', { turn: z.int().positive() }),
  /** What was said so far is shown to the model no more. */
  body('session.cleared', {}),
]);
export type SessionBody = z.infer<typeof SessionBody>;

export const SessionEvent = RunEvent.extend({ body: SessionBody });
export type SessionEvent = z.infer<typeof SessionEvent>;
