/** The numbers that the core promises, each measured in the same run as what it is compared with. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { planTrigger, sessionCost, type Session } from './economics.ts';
import { POLICIES } from './ours.ts';
import type { Row } from './row.ts';
import { type Asked, QUICK } from './scenarios.ts';

export type Target = { name: string; wanted: string; measured: string; met: boolean };
type Measure = (asked: Asked) => Promise<Row>;

/** Facts of the prompt, of a call's path and of the todo list: code carries them, whatever the summariser does. */
const CARRIED = ['FACT-0-', 'FACT-1-', 'FACT-6-', 'FACT-7-'];
/** The session of the published cost model, in tokens and as dollars of the bench's prices. */
const SESSION: Session = {
  fixed: 10_000,
  answer: 250,
  result: 2500,
  calls: 400,
  summary: 2000,
  keep: 20_000,
  weights: { write: 1.25, read: 0.1, output: 5 },
};
const BASELINE_USD = (sessionCost(SESSION, { compactAbove: 150_000 }).total * 5) / 1_000_000;

export async function measureTargets(measure: Measure, rows: readonly Row[]): Promise<Target[]> {
  const ours = rows.filter(({ system }) => system === 'tandem');
  return [
    valid(ours),
    remembered(ours),
    ...autos(ours),
    ...(await withoutSummaries(measure)),
    ...(await costs(measure, rows)),
    ...(await assembly()),
  ];
}

function valid(ours: readonly Row[]): Target {
  const refused = ours.reduce((sum, { faults, staleThinking }) => sum + faults + staleThinking, 0);
  const unfit = ours.filter(({ fits }) => !fits);
  const measured = `${refused} refused or stale, ${unfit.length} that do not fit, in ${ours.length} rows`;
  return {
    name: 'valid on the wire and fitting, every policy and scenario',
    wanted: '0',
    measured,
    met: refused + unfit.length === 0,
  };
}

/** `trigger: auto` beside the ratio: the default policy as the aim has it, and every policy by itself. */
function autos(ours: readonly Row[]): Target[] {
  const shares = new Map(POLICIES.map((policy) => [policy, autoShares(ours, policy)]));
  const all = [...shares].flatMap(([policy, { each }]) => each.map((one) => ({ ...one, policy })));
  const worst = all.toSorted((one, other) => other.share - one.share)[0];
  const together = [...shares].map(([policy, { share, dollars, each }]): Target => {
    const most = policy === 'two-agent' ? 0.75 : 1;
    return {
      name: `\`trigger: auto\` with \`${policy}\`, ${each.length} conversations together, at equal facts`,
      wanted: `≤ ${most.toFixed(2)}`,
      measured: `${dollars} = ${share.toFixed(2)}`,
      met: share <= most,
    };
  });
  return [
    ...together,
    {
      name: `the worst of these ${all.length}`,
      wanted: '≤ 1.02',
      measured: `${worst?.policy} on ${worst?.scenario}: ${worst?.share.toFixed(2)}`,
      met: (worst?.share ?? 2) <= 1.02,
    },
  ];
}

function autoShares(ours: readonly Row[], policy: string) {
  const each = ours.flatMap((row) => {
    const auto = ours.find((one) => one.scenario === row.scenario && one.policy === `${policy} auto`);
    if (row.policy !== policy || auto === undefined) return [];
    return [{ scenario: row.scenario, ratio: row.costUsd, auto: auto.costUsd, share: auto.costUsd / row.costUsd }];
  });
  const sum = (key: 'ratio' | 'auto') => each.reduce((total, one) => total + one[key], 0);
  const dollars = `$${sum('auto').toFixed(2)} / $${sum('ratio').toFixed(2)}`;
  return { each, share: sum('auto') / sum('ratio'), dollars };
}

function remembered(ours: readonly Row[]): Target {
  const lost = ours.filter(
    ({ factsKept, factsPlanted, factsAfterOne }) =>
      factsKept < factsPlanted || factsAfterOne.kept < factsAfterOne.planted,
  );
  const names = lost.map(
    ({ policy, scenario, factsKept, factsPlanted }) => `${policy} on ${scenario} ${factsKept}/${factsPlanted}`,
  );
  return {
    name: 'all facts after one round and after all, with a summariser that forgets nothing',
    wanted: 'all in every row',
    measured: names.length === 0 ? 'all' : names.join('; '),
    met: names.length === 0,
  };
}

async function withoutSummaries(measure: Measure): Promise<Target[]> {
  return Promise.all(['empty', 'failing'].map((summariser) => withoutSummary(measure, summariser)));
}

async function withoutSummary(measure: Measure, summariser: string): Promise<Target> {
  const rows: Row[] = [];
  for (const scenario of QUICK)
    for (const policy of POLICIES) rows.push(await measure({ system: 'tandem', scenario, policy, summariser }));
  const broken = rows.filter(({ fits, faults, staleThinking }) => !fits || faults + staleThinking > 0);
  const forgot = rows.flatMap(({ policy, scenario, factsLost }) =>
    factsLost
      .filter((fact) => CARRIED.some((one) => fact.startsWith(one)))
      .map((fact) => `${policy} on ${scenario}: ${fact}`),
  );
  const examples = [...forgot, ...broken.map(({ policy, scenario }) => `${policy} on ${scenario}`)].slice(0, 4);
  return {
    name: `${summariser} summariser: valid, under the window, all code-carried facts`,
    wanted: '0 lost, 0 invalid',
    measured: `${forgot.length} lost, ${broken.length} invalid, of ${rows.length} rows${examples.length === 0 ? '' : ` (${examples.join('; ')})`}`,
    met: forgot.length + broken.length === 0,
  };
}

async function costs(measure: Measure, rows: readonly Row[]): Promise<Target[]> {
  const steps = 3 * (SESSION.answer + SESSION.result);
  const plan = planTrigger({
    session: { ...SESSION, keep: steps },
    window: 200_000,
    maxOutput: 16_000,
    reserve: 20_000,
  });
  const usual = await measure({ system: 'tandem', scenario: 'cost-400', policy: 'two-agent' });
  const best = await measure({
    system: 'tandem',
    scenario: 'cost-400',
    policy: 'two-agent',
    trigger: plan.recommended.trigger,
  });
  const rivals = rows
    .filter(({ system, scenario }) => !system.startsWith('tandem') && scenario === 'cost-400')
    .filter((row) => keepsAll(row.system, rows));
  const rival = rivals.toSorted((one, other) => one.costUsd - other.costUsd)[0];
  const against = (row: Row, cost: number) =>
    `$${row.costUsd.toFixed(2)} / $${cost.toFixed(2)} = ${(row.costUsd / cost).toFixed(2)}`;
  return [
    {
      name: "400 steps, the sources' thresholds, against compaction at 75 % with a cached summary call",
      wanted: '≤ 1.00',
      measured: against(usual, BASELINE_USD),
      met: usual.costUsd <= BASELINE_USD,
    },
    {
      name: `400 steps at the recommended trigger (${plan.recommended.trigger}), against the same`,
      wanted: '≤ 0.88',
      measured: against(best, BASELINE_USD),
      met: best.costUsd <= 0.88 * BASELINE_USD,
    },
    rival === undefined
      ? {
          name: '400 steps at the recommended trigger, against the best peer that keeps as many facts',
          wanted: '≤ 0.90',
          measured: 'no peer keeps as many',
          met: true,
        }
      : {
          name: `400 steps at the recommended trigger, against ${rival.system}, the best peer that keeps as many facts`,
          wanted: '≤ 0.90',
          measured: against(best, rival.costUsd),
          met: best.costUsd <= 0.9 * rival.costUsd,
        },
  ];
}

/** In the long agent run, where ours keeps them all, and without a request that does not fit. */
function keepsAll(system: string, rows: readonly Row[]): boolean {
  const row = rows.find((one) => one.system === system && one.scenario === 'agent-run');
  return row !== undefined && row.rounds > 0 && row.factsKept === row.factsPlanted;
}

type Assembly = Record<
  'entries' | 'tokens' | 'jsonMiB' | 'coldMs' | 'stepMs' | 'slowestStepMs' | 'requestMs' | 'heldMiB',
  number
> & { trimMs?: number };

async function assembly(): Promise<Target[]> {
  const file = new URL('assembly.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--disable-warning=ExperimentalWarning', file],
    { timeout: 240_000, maxBuffer: 10_000_000 },
  );
  const made = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Assembly;
  const ms = (value: number) => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
  const on = `${made.entries} entries, ${Math.round(made.tokens / 1000)}k tokens`;
  return [
    {
      name: `next view after one step (${on})`,
      wanted: '≤ 5 ms',
      measured: `${ms(made.stepMs)} (slowest ${ms(made.slowestStepMs)})`,
      met: made.stepMs <= 5,
    },
    {
      name: 'cache marks and the check of the whole request after it',
      wanted: '≤ 5 ms',
      measured: ms(made.requestMs),
      met: made.requestMs <= 5,
    },
    { name: 'the first view of it, cold', wanted: '≤ 150 ms', measured: ms(made.coldMs), met: made.coldMs <= 150 },
    ...trimTarget(made, ms),
    {
      name: 'memory that the view holds, against the transcript as JSON',
      wanted: '≤ 2.5 ×',
      measured: `${made.heldMiB.toFixed(1)} MiB / ${made.jsonMiB.toFixed(1)} MiB = ${(made.heldMiB / made.jsonMiB).toFixed(2)}`,
      met: made.heldMiB <= 2.5 * made.jsonMiB,
    },
  ];
}

/** None where that peer is not installed, which the run has said at its start. */
function trimTarget({ trimMs, stepMs }: Assembly, ms: (value: number) => string): Target[] {
  if (trimMs === undefined) return [];
  return [
    {
      name: 'the next view, against langchain trimMessages on the same transcript',
      wanted: '≥ 10 ×',
      measured: `${ms(trimMs)}: ${Math.round(trimMs / stepMs)} ×`,
      met: trimMs >= 10 * stepMs,
    },
  ];
}
