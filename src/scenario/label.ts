/** `labels/<number>.json`: what a person says about one conversation, to one question of a grader, without having seen its verdict. */
import { z } from 'zod';

const Mark = z.enum(['pass', 'fail']);

export const Label = z.strictObject({
  version: z.literal(1),
  seq: z.int().nonnegative(),
  /** Hash of the label before; empty in the first. */
  prev: z.string(),
  hash: z.string(),
  at: z.string(),
  /** `user:<name>`. */
  by: z.string(),
  grader: z.string(),
  /** Digest of the question with `pass_when` and `fail_when`: an answer to another question is no label of this one. */
  question: z.string(),
  /** Digest of what was read, and the text itself, so that a label can be read without its run. */
  conversation: z.string(),
  text: z.string(),
  run: z.string(),
  iteration: z.int().nonnegative(),
  sample: z.string(),
  trial: z.int().positive(),
  verdict: Mark,
  reason: z.string(),
  /** What the grader had said, which the person was not shown: the version of the grader, and whether it passed. */
  judged: z.strictObject({ key: z.string(), pass: z.boolean() }).optional(),
});
export type Label = z.infer<typeof Label>;

/** Who may learn from a labelled conversation: `train` may become an example, `dev` is for tuning, `test` alone calibrates. */
export type LabelPart = 'train' | 'dev' | 'test';

/** Decided by the digest of the conversation, so that nobody can choose. */
export function partOf(conversation: string): LabelPart {
  const share = Number.parseInt(conversation.slice(0, 8), 16) / 0x1_0000_0000;
  if (share < 0.2) return 'train';
  return share < 0.4 ? 'dev' : 'test';
}

export type AgreedLabel = { conversation: string; verdict: 'pass' | 'fail'; judged: Label['judged'][] };

/** One verdict of people for each conversation: everybody's last word, and most of them; where they are even, none. */
export function agreedLabels(labels: readonly Label[], grader: { id: string; question: string }): AgreedLabel[] {
  const own = labels
    .filter((label) => label.grader === grader.id && label.question === grader.question)
    // Labels of another home may follow newer ones.
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return [...Map.groupBy(own, ({ conversation }) => conversation)].flatMap(([conversation, about]) => {
    const last = [...new Map(about.map((label) => [label.by, label])).values()];
    const passes = last.filter(({ verdict }) => verdict === 'pass').length;
    if (passes * 2 === last.length) return [];
    const verdict = passes * 2 > last.length ? ('pass' as const) : ('fail' as const);
    return [{ conversation, verdict, judged: about.map(({ judged }) => judged) }];
  });
}
