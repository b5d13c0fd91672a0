/** Notes on the users of an iteration that no score shows: acts that never happened, and silence in passed samples. */
import { isLostByUser } from './lost-by-user.ts';
import type { Results, SampleResult } from './result.ts';

/** Returns one sentence per finding; none where every user did what its sample says. */
export function userNotes({ samples }: Pick<Results, 'samples'>): string[] {
  return [
    ...describeVersions(samples),
    ...samples.flatMap((sample) => [...unusedActs(sample), ...describeSilence(sample)]),
  ];
}

/** An iteration that an upgrade interrupted keeps the trials that were played before it. */
function describeVersions(samples: Results['samples']): string[] {
  const named = samples.flatMap(({ id, trials }) => trials.map((one) => ({ id, ...one })));
  const earlier = named.flatMap(({ id, trial, judgedBy: by }) =>
    by === undefined ? [] : [`${id}.${trial} (${Object.values(by).join(', ')})`],
  );
  if (earlier.length === 0) return [];
  return [`played and judged before an upgrade, by other versions than the other trials: ${earlier.join(', ')}`];
}

function unusedActs({ id, trials }: SampleResult): string[] {
  const [first, ...others] = trials.map(({ unusedActs: acts = [] }) => acts);
  const never = (first ?? []).filter((when) => others.every((acts) => acts.includes(when)));
  return never.map(
    (when) => `${id}: the user never did its act "${when}": no message of the subject holds these words`,
  );
}

/** Reports silence in a passed sample; a failed sample already records the question as its own fault. */
function describeSilence({ id, outcome, trials }: SampleResult): string[] {
  const lost = trials.find(isLostByUser)?.unanswered;
  if (lost !== undefined)
    return [
      `${id}: unscored, because its user has no move for "${lost}": user.knows, does_not_know or acts of the sample must hold one (4a)`,
    ];
  const question = trials.find(({ unanswered }) => unanswered !== undefined)?.unanswered;
  return outcome === 'pass' && question !== undefined
    ? [`${id}: passed, though its user had no answer to "${question}" and the conversation ended there`]
    : [];
}
