/** What is new for this reviewer: since their own last approval, else since what they last looked at, else since anybody's. */
import type { GateDecision } from '../../gate/rules/gate.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { Designs } from '../../ports/decisions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';

export type Since = ReviewPack['since'] & {
  /** True when the reader has decided on the design that this is compared with. */
  mine: boolean;
  /** True when nobody approved that design: the reader asked for changes of it. */
  asked: boolean;
};

/** The pack compares with the last approved design; who did not approve that one is shown the way from their own. */
export async function sinceFor(
  run: RunFolder,
  { decisions }: Pick<RunState, 'decisions'>,
  pack: ReviewPack,
  actor: string,
  designs: Pick<Designs, 'compare'>,
): Promise<Since> {
  const own = decisions.filter((one) => one.round < pack.round && isSameActor(one.actor, actor));
  const approved = own.findLast(({ decision }) => decision.endsWith('approve'));
  // Where somebody approved, an approval is what counts: a look that ended in changes approved nothing of what came between.
  const base = approved ?? (pack.since.round === null ? own.at(-1) : undefined);
  if (base === undefined) return { ...pack.since, mine: false, asked: false };
  const told = { mine: true, asked: approved === undefined };
  if (base.round === pack.since.round) return { ...pack.since, ...told };
  return { ...(await changeFrom(base, run, pack, designs)), ...told };
}

async function changeFrom(
  { round, editedDir }: GateDecision,
  run: RunFolder,
  pack: ReviewPack,
  designs: Pick<Designs, 'compare'>,
): Promise<ReviewPack['since']> {
  const change = await designs.compare(run, editedDir ?? `design/r${round}`, pack.designDir);
  const told = new Map(pack.since.rules.map((one) => [one.id, one]));
  const rules = change.rules.map((one) => ({ ...one, ...reasonOf(told.get(one.id)) }));
  return { ...change, rules, round };
}

function reasonOf(told: ReviewPack['since']['rules'][number] | undefined) {
  if (told === undefined) return {};
  return { evidence: told.evidence, ...(told.reason === undefined ? {} : { reason: told.reason }) };
}
