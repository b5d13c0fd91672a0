/** The changes that are new to a reviewer: since their last approval, or their last view, or anyone's last approval. */
import { omitUndefined } from '../../omit-undefined.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { Designs } from '../../ports/decisions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';

export type Since = ReviewPack['since'] & {
  /** True when the reader decided on the design that this one is compared with. */
  mine: boolean;
  /** True when that design was not approved: the reader requested changes. */
  asked: boolean;
};

/** The pack compares with the last approved design. A reader who approved another one gets the comparison with that. */
export async function sinceFor(
  { run, state, pack }: { run: RunFolder; state: Pick<RunState, 'decisions'>; pack: ReviewPack },
  actor: string,
  designs: Pick<Designs, 'compare'>,
): Promise<Since> {
  const own = state.decisions.filter((one) => one.round < pack.round && isSameActor(one.actor, actor));
  const approved = own.findLast(({ decision }) => decision.endsWith('approve'));
  // After an approval by the reader, only approvals count, because a request for changes approves nothing.
  const base = approved ?? (pack.since.round === null ? own.at(-1) : undefined);
  if (base === undefined) return { ...pack.since, mine: false, asked: false };
  const whose = { mine: true, asked: approved === undefined };
  const { round, editedDir } = base;
  if (round === pack.since.round) return { ...pack.since, ...whose };
  const change = await designs.compare(run, editedDir ?? `design/r${round}`, pack.designDir);
  const claims = new Map(pack.since.rules.map(({ id, evidence, reason }) => [id, omitUndefined({ evidence, reason })]));
  const rules = change.rules.map((one) => ({ ...one, ...claims.get(one.id) }));
  return { ...change, rules, round, ...whose };
}
