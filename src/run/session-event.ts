/** The events of a person's session with an agent, in the shapes of its journal. */
import { z } from 'zod';
import { defineBody, RunEvent } from './event.ts';

/** `answered`: the agent ended its turn · `stopped`: a person stopped it · `failed`: `why` says what went wrong. */
export const TurnEnd = z.enum(['answered', 'stopped', 'failed']);
export type TurnEnd = z.infer<typeof TurnEnd>;

export const SessionBody = z.discriminatedUnion('type', [
  defineBody('session.started', {
    machineVersion: z.literal(1),
    agent: z.string(),
    budgetUsd: z.number().positive(),
    simulated: z.boolean(),
    /** The run whose files can be read, with the absolute path of its folder. */
    run: z.strictObject({ id: z.string(), dir: z.string() }).optional(),
    forkedFrom: z.strictObject({ session: z.string() }).optional(),
  }),
  /** A message, durable before anything is paid for it. `after`: the entry that it follows, empty for none. */
  defineBody('session.said', {
    turn: z.int().positive(),
    lane: z.string(),
    after: z.string(),
    text: z.string(),
    /** The text that the model receives; absent for a requested compaction. */
    sent: z.string().optional(),
    /** The texts of the named files, placed before the message; they are not carried as a person's own words. */
    attached: z.string().optional(),
    /** Copies of the named files, with paths relative to the session. */
    files: z.array(z.string()),
    images: z.array(z.string()),
    via: z.string(),
  }),
  defineBody('session.answered', {
    turn: z.int().positive(),
    end: TurnEnd,
    why: z.string().optional(),
    code: z.string().optional(),
    /** The entries of the turn; absent when nothing was said. */
    entries: z.strictObject({ first: z.string(), last: z.string() }).optional(),
    calls: z.int().nonnegative(),
    usd: z.number().nonnegative(),
  }),
  defineBody('session.set', {
    model: z.string().optional(),
    policy: z.string().optional(),
    budgetUsd: z.number().positive().optional(),
  }),
  /** Undoes this turn and all later ones, which stay on record. */
  defineBody('session.undone', { turn: z.int().positive() }),
  /** Hides everything said so far from the model. */
  defineBody('session.cleared', {}),
]);
export type SessionBody = z.infer<typeof SessionBody>;

export const SessionEvent = RunEvent.extend({ body: SessionBody });
export type SessionEvent = z.infer<typeof SessionEvent>;
