/** The shape of `traces/<sample>.<trial>.jsonl`: one subject's actions in one trial, one line per event. */
import { z } from 'zod';
import { TracedCall } from './component.ts';
import { PatchOperation } from './sample.ts';
import { Usage } from '../transcript/message.ts';

const World = z.record(z.string(), z.unknown());

/** The cost of one answer of the subject: milliseconds, tokens in and out, US dollars. */
const AnswerCost = z.strictObject({
  durationMs: z.number().nonnegative(),
  in: z.int().nonnegative(),
  out: z.int().nonnegative(),
  usd: z.number().nonnegative(),
});
export type AnswerCost = z.infer<typeof AnswerCost>;

/** A large world file by name and digest of its JSON, with the changes that a sample makes to it. */
const NamedWorld = z.strictObject({ name: z.string(), sha256: z.string(), patch: z.array(PatchOperation) });

/** A move of the user from its menu, and the subject's words that ask for it. */
export const ChosenMove = z.strictObject({ move: z.string(), quote: z.string() });
export type ChosenMove = z.infer<typeof ChosenMove>;

/** How a turn of the user came about: the digest of its menu, the moves, and who chose them (`rules` or a model). */
export const UserChoice = z.strictObject({ by: z.string(), menu: z.string(), moves: z.array(ChosenMove) });
export type UserChoice = z.infer<typeof UserChoice>;

export const TraceLine = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    version: z.literal(1),
    sample: z.string(),
    trial: z.int().positive(),
    model: z.string(),
    /** The sha256 of design, tools, sample and subject settings together; a trace of other inputs is never reused. */
    inputs: z.string(),
    /** The start world, or else the name of a large one; exactly one is set. */
    world: World.optional(),
    base: NamedWorld.optional(),
  }),
  z.strictObject({
    type: z.literal('user'),
    step: z.int().nonnegative(),
    text: z.string(),
    /** Missing for the first words, for other kinds of users and in older traces. */
    chosen: UserChoice.optional(),
  }),
  z.strictObject({ type: z.literal('says'), step: z.int().positive(), text: z.string() }),
  /** `change`: the call's effect on the world; `error`: the kind of failure. */
  TracedCall.extend({
    type: z.literal('call'),
    change: z.array(PatchOperation),
    error: z.enum(['threw', 'bad_input', 'bad_output', 'timeout', 'crashed', 'unknown_tool']).optional(),
  }),
  z.strictObject({
    type: z.literal('end'),
    /**
     * The reason for the end. `cut`: an answer was cut off at a token limit; `crashed`: the subject broke its protocol;
     * `user_silent`: the user had no answer to `detail`; `no_move`: its sample has no move for `detail`; `infrastructure`: the trial is unscored, never failed.
     */
    stop: z.enum([
      'done',
      'steps',
      'seconds',
      'money',
      'refusal',
      'cut',
      'crashed',
      'user_silent',
      'no_move',
      'infrastructure',
    ]),
    /** The user's choice to end, or that no move fits. */
    chosen: UserChoice.optional(),
    detail: z.string().optional(),
    /** The whole world at the end, or the changes to it where the start names a large one. */
    world: World.optional(),
    change: z.array(PatchOperation).optional(),
    final: z.string(),
    calls: z.int().nonnegative(),
    usage: Usage,
    costUsd: z.number().nonnegative(),
    durationMs: z.number().nonnegative(),
    /** The cost of each step's answer, in order; missing in older traces. */
    answers: z.array(AnswerCost).optional(),
  }),
]);
export type TraceLine = z.infer<typeof TraceLine>;

export type TraceLineOf<Type extends TraceLine['type']> = Extract<TraceLine, { type: Type }>;
export type StopCause = TraceLineOf<'end'>['stop'];
