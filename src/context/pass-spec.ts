/** One line of a policy's list of passes: the pass and its numbers. A plain name takes the defaults. */
import { z } from 'zod';
import { ItemKind } from '../transcript/entry.ts';

const Count = z.int().nonnegative();

/** The type that `drop-items` gives a unit or an item of the view (S2.1). */
export const ItemType = z.enum([
  'tool_result',
  'assistant_message',
  'user_message',
  'compaction_summary',
  'system_prompt',
  ...ItemKind.options,
]);
export type ItemType = z.infer<typeof ItemType>;

/** Types are dropped in the order of the list. `truncate` retains the latest `keep` (S2.2). */
const ItemRule = z.discriminatedUnion('strategy', [
  z.strictObject({ type: ItemType, strategy: z.literal('drop') }),
  z.strictObject({ type: ItemType, strategy: z.literal('truncate'), keep: Count }),
  z.strictObject({ type: ItemType, strategy: z.literal('none') }),
]);
export type ItemRule = z.infer<typeof ItemRule>;

const Spec = z.discriminatedUnion('pass', [
  /** The latest `keep.steps` steps stay, earlier ones are summarised (S0.5). */
  z.strictObject({ pass: z.literal('keep-latest-steps') }),
  /** Long results that stay become head, error lines and tail (S0.11). */
  z.strictObject({ pass: z.literal('shorten-long-results') }),
  /** One step less at a time, down to `least` (S0.16). */
  z.strictObject({ pass: z.literal('keep-fewer-steps'), least: Count.default(0) }),
  /** The latest `turns` whole turns stay (S1.8). */
  z.strictObject({ pass: z.literal('keep-latest-turns'), turns: z.int().positive().default(10) }),
  /** One whole turn less at a time, down to `least` (S4.4). */
  z.strictObject({ pass: z.literal('keep-fewer-turns'), least: z.int().positive().default(1) }),
  /** At most so many messages stay (S3.2); without a number: the target of `trigger.messages`. */
  z.strictObject({ pass: z.literal('limit-messages'), messages: z.int().min(1).optional() }),
  /** Results of finished turns are compressed by tool, by the table of `results` (S1.3, S1.4). */
  z.strictObject({ pass: z.literal('compress-results'), protectTurns: Count.default(1) }),
  /** Old results leave, their calls stay; the latest turns and the latest `keep` results are safe (S4.4). */
  z.strictObject({ pass: z.literal('clear-results'), protectTurns: Count.default(2), keep: Count.default(0) }),
  /** Whole units and items leave by their type (S2.2, S2.3). */
  z.strictObject({ pass: z.literal('drop-items'), rules: z.array(ItemRule).min(1) }),
  /** Images become pointers, but for the latest `keep` of them (S3.10). */
  z.strictObject({ pass: z.literal('point-to-images'), keep: Count.default(0) }),
  /** The summary replaces all but the newest message, or the newest step while that fits (S2.4). */
  z.strictObject({ pass: z.literal('replace-conversation') }),
  /** The latest steps stay from an answer on, as the API's own summary needs it (docs/internals/api-rules.md §5.4). */
  z.strictObject({ pass: z.literal('cut-before-answer') }),
  /** A pass of the project's `tandem.config.ts`, with whatever it wants to know (docs/plugins.md). */
  z.strictObject({
    pass: z.literal('plugin'),
    plugin: z.string().min(1),
    options: z.record(z.string(), z.unknown()).default({}),
  }),
]);

export const PassSpec = z.preprocess((line) => (typeof line === 'string' ? { pass: line } : line), Spec);
export type PassSpec = z.infer<typeof Spec>;
export type PassName = PassSpec['pass'];
