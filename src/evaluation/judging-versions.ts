/** Versions of what judges a run besides the rules of its proof: its users, what is read as a statement, and strength. */
import { USER_VERSION } from './chooser/menu.ts';

/** One rises when the same trial, or the same components, may be judged otherwise. */
export const JUDGING_VERSIONS = { user: USER_VERSION, statements: 'statements-4', strength: 'strength-1' } as const;

export type Judging = Readonly<Record<string, string>>;

const { user, statements } = JUDGING_VERSIONS;
export const TRIAL_VERSIONS: Judging = { user, statements };

/**
 * Returns the versions by which a finished trial was played and judged, where they are not today's. A trial that has none
 * is of a program that recorded them only with the run, so it has those that its run `began` with, if any.
 */
export function findEarlierVersions(trial: Judging | undefined, began: Judging | undefined): Judging | undefined {
  const { user: player = 'an earlier user', statements: reader = 'an earlier reader' } = trial ?? began ?? {};
  return player === user && reader === statements ? undefined : { user: player, statements: reader };
}

export type BegunWith = { user?: 'auto' | undefined; judging?: Judging | undefined };

/**
 * Says what is judged otherwise today than when the run began. Users of the kind before are still played; of everything
 * else only today's version exists. A run from before these versions were recorded says nothing of them.
 */
export function listJudgingChanges({ user, judging = {} }: BegunWith): string[] {
  const scripted =
    user === undefined ? [`where no sample says otherwise its users are scripted; today's are ${USER_VERSION}`] : [];
  const others = Object.entries(JUDGING_VERSIONS).flatMap(([part, today]) => {
    const begun = judging[part];
    if (begun === undefined || begun === today) return [];
    return [`it began with ${begun}, and what is judged from now on is judged by ${today}`];
  });
  return [...scripted, ...others];
}
