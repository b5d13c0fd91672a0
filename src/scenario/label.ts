/** The shape of `labels/<number>.json`: a person's blind answer to one question of a grader about one conversation. */
import { z } from 'zod';

const Mark = z.enum(['pass', 'fail']);

export const Label = z.strictObject({
  version: z.literal(1),
  seq: z.int().nonnegative(),
  /** Hash of the label before; empty in the first. */
  prev: z.string(),
  hash: z.string(),
  at: z.string(),
  /** The actor, `user:<name>`. */
  by: z.string(),
  grader: z.string(),
  /** Digest of the question with `pass_when` and `fail_when`; a label counts for this wording only. */
  question: z.string(),
  /** Digest of the text that was read, and the text itself, so that the label can be read without its run. */
  conversation: z.string(),
  text: z.string(),
  run: z.string(),
  iteration: z.int().nonnegative(),
  sample: z.string(),
  trial: z.int().positive(),
  verdict: Mark,
  reason: z.string(),
  /** The grader's version and verdict, which the person was not shown. */
  judged: z.strictObject({ key: z.string(), pass: z.boolean() }).optional(),
});
export type Label = z.infer<typeof Label>;

/** The use of a labelled conversation: `train` for examples in prompts, `dev` for tuning, `test` to calibrate. */
export type LabelPart = 'train' | 'dev' | 'test';

/** Assigns the part by the conversation's digest, so that nobody can choose it. */
export function assignLabelPart(conversation: string): LabelPart {
  const share = Number.parseInt(conversation.slice(0, 8), 16) / 0x1_0000_0000;
  if (share < 0.2) return 'train';
  return share < 0.4 ? 'dev' : 'test';
}

export type AgreedLabel = { conversation: string; verdict: 'pass' | 'fail'; judged: Label['judged'][] };

/** Reduces the labels of each conversation to the majority of everybody's last answers; a tie gives none. */
export function agreedLabels(labels: readonly Label[], grader: { id: string; question: string }): AgreedLabel[] {
  const own = labels
    .filter((label) => label.grader === grader.id && label.question === grader.question)
    // Labels imported from another home may stand behind newer ones.
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return [...Map.groupBy(own, ({ conversation }) => conversation)].flatMap(([conversation, about]) => {
    const last = [...new Map(about.map((label) => [label.by, label])).values()];
    const passes = last.filter(({ verdict }) => verdict === 'pass').length;
    if (passes * 2 === last.length) return [];
    const verdict = passes * 2 > last.length ? ('pass' as const) : ('fail' as const);
    return [{ conversation, verdict, judged: about.map(({ judged }) => judged) }];
  });
}
