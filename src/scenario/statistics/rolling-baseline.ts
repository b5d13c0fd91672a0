/** Compares results with the last results of a branch: only samples with evidence that they are reliable turn a job red. */
import { omitUndefined } from '../../omit-undefined.ts';
import { type Baseline, baselineTallies, compareWithBaseline, type BaselineComparison } from './compare-baseline.ts';
import { computePairedP, computeSingleLimit } from './paired-test.ts';
import type { Tally } from './pass-k.ts';

type Tallies = Baseline['samples'];
export type Rolling = NonNullable<Baseline['rolling']>;

/** Fewer trials are no evidence that a sample is reliable, and none that it is not. */
const LEAST_TRIALS = 8;
const RELIABLE_SHARE = 0.8;
/** A drop that one result is too small to show is shown by the last three together. */
const WINDOWS = [1, 3] as const;
/** For each window; with both windows and both tests a job is red without cause in fewer than 1 % of merges. */
const ALPHA_OF_ALL = 0.003;
const ALPHA_OF_SINGLES = 0.001;
/** Where no trial passes any more; with many samples that is never chance, and with few it is the only sign there is. */
const ALPHA_OF_DEATH = 0.01;

/** Adds results, forgets those before the last `most`, and renews the quarantine. */
export function addToRolling(
  before: Rolling | undefined,
  added: Rolling['history'][number],
  { most, owner }: { most: number; owner: string },
): Rolling {
  const history = [...(before?.history ?? []), added].slice(-most);
  const unreliable = Object.entries(pool(history)).flatMap(([id, { passed, total }]) =>
    total >= LEAST_TRIALS && passed / total < RELIABLE_SHARE
      ? [[id, `${passed} of ${total} trials pass`] as const]
      : [],
  );
  const quarantine = Object.fromEntries(
    unreliable.map(([id, why]) => [id, { ...(before?.quarantine[id] ?? { owner, since: added.at }), why }]),
  );
  return { history, quarantine };
}

/** Without such a history it compares with the one result that a person has blessed. */
export function compareWithRolling(
  baseline: Parameters<typeof compareWithBaseline>[0] & Pick<Baseline, 'rolling'>,
  results: Parameters<typeof compareWithBaseline>[1],
  comparisons = 1,
): BaselineComparison {
  const { rolling } = baseline;
  if (rolling === undefined) return compareWithBaseline(baseline, results, comparisons);
  const { history, quarantine } = rolling;
  const pooled = pool(history);
  const whole = compareWithBaseline({ ...baseline, samples: pooled }, results);
  if (whole.by === 'rate' || whole.label === 'incomplete') return whole;
  const held = Object.fromEntries(Object.entries(pooled).filter(([id]) => quarantine[id] === undefined));
  const samples = results.samples.filter(({ id }) => quarantine[id] === undefined);
  const found = compareWithBaseline({ ...baseline, samples: held }, { ...results, samples });
  const now = baselineTallies(results);
  const tested = WINDOWS.map((size) => testWindow(rolling, now, size));
  const dead = new Set(tested.flatMap(({ regressed }) => regressed));
  const p = Math.min(...tested.map((one) => one.p));
  const passesAny = samples.some(({ id }) => (now[id]?.passed ?? 0) > 0);
  const isRed = dead.size > 0 || p <= (passesAny ? ALPHA_OF_ALL : ALPHA_OF_DEATH);
  const { lostTarget: _lostTarget, ...rest } = found;
  return {
    ...rest,
    p,
    label: isRed ? 'regression' : found.label === 'regression' ? 'soft' : found.label,
    ...omitUndefined({ lostTarget: isRed ? found.lostTarget : undefined }),
    samples: whole.samples.map((sample) => {
      if (quarantine[sample.id] !== undefined) return { ...sample, label: 'quarantined' };
      if (dead.has(sample.id)) return { ...sample, label: 'regression' };
      return sample.label === 'regression' ? { ...sample, label: 'soft' } : sample;
    }),
  };
}

/** Compares the last `size` results with everything before them, over the samples that were reliable then. */
function testWindow({ history, quarantine }: Rolling, now: Tallies, size: number): { p: number; regressed: string[] } {
  const cut = history.length - size + 1;
  const then = pool(history.slice(0, Math.max(0, cut)));
  const recent = pool([...history.slice(Math.max(0, cut)), { samples: now }]);
  const pairs = Object.entries(then).flatMap(([id, before]) => {
    const is = recent[id];
    const isReliable = before.total >= LEAST_TRIALS && before.passed / before.total >= RELIABLE_SHARE;
    return is === undefined || !isReliable || quarantine[id] !== undefined ? [] : [{ id, before, now: is }];
  });
  const limit = computeSingleLimit(pairs, ALPHA_OF_SINGLES);
  const regressed = pairs.filter((pair) => computePairedP([pair]) <= limit).map(({ id }) => id);
  return { p: computePairedP(pairs), regressed };
}

function pool(all: readonly { samples: Tallies }[]): Tallies {
  const sums: Record<string, Tally> = {};
  for (const { samples } of all)
    for (const [id, { passed, total }] of Object.entries(samples)) {
      const sum = sums[id] ?? { passed: 0, total: 0 };
      sums[id] = { passed: sum.passed + passed, total: sum.total + total };
    }
  return sums;
}
