/** Evaluations and runs in batches, as processes: the verdict of live calls for half the money, and nothing paid twice however they die (13.11). */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRow, ModelTable, toPrice } from '../../src/ports/model-table.ts';
import type { RequestRecord } from '../../src/adapters/simulated/respond.ts';
import { BatchFaultKind } from '../../src/adapters/simulated/batches/batch-fault.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../src/adapters/simulated/start.ts';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { computeCost } from '../../src/ports/model.ts';
import { Usage } from '../../src/transcript/message.ts';
import { lastJson, makeProject, spendLines, start, tandem } from '../support/cli.ts';

const FULL = process.env['TANDEM_STORMS'] === 'full';
const SCENARIO = 'refund-desk';
const STARTER = 'small-desk';
const FAST = { ANTHROPIC_API_KEY: 'offline' };

/** Batches of the offline model take no hour. */
const QUICK = `version: 1
on_gate: { tty: prompt, no_tty: auto:demo }
economy: { gather_ms: 150, poll_ms: 40, poll_max_ms: 200 }
`;

let project = '';
let live: Record<string, unknown> = {};

beforeAll(async () => {
  project = await makeProject(SCENARIO);
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/quick-batches.yaml'), QUICK);
  await tandem(project, ['run', SCENARIO, '--profile', 'demo', '--id', 'first']);
  live = lastJson(await tandem(project, ['evaluate', SCENARIO, '--out', join(project, 'live'), '--json']));
}, 300_000);

let simulators: Simulator[] = [];
afterAll(async () => {
  for (const simulator of simulators) await simulator.close();
});

async function simulate(options: Partial<SimulatorOptions> = {}, scenario = SCENARIO): Promise<Simulator> {
  const simulationDir = join(project, 'scenarios', scenario, 'simulation');
  const simulator = await startSimulator({ simulationDir, ...options });
  simulators = [...simulators, simulator];
  return simulator;
}

const envOf = ({ url }: Simulator) => ({ ...FAST, ANTHROPIC_BASE_URL: url });

/** What the server answered, and what that costs by the table. */
async function billOf({ batches }: Simulator): Promise<{ answers: number; usd: number; liveUsd: number }> {
  const table = parseYaml(await readFile('config/models.yaml', 'utf8'), ModelTable, 'config/models.yaml');
  const usages = batches.flatMap(({ results = [], requests }) =>
    results.flatMap(({ result }) =>
      result.type === 'succeeded'
        ? [{ usage: Usage.parse(result.message['usage']), model: requests[0]?.params['model'] }]
        : [],
    ),
  );
  const sum = (of: (usage: Usage) => Usage) =>
    usages.reduce(
      (total, { usage, model }) => total + computeCost(of(usage), toPrice(findRow(table, String(model))!)!),
      0,
    );
  return {
    answers: usages.length,
    usd: sum((usage) => usage),
    liveUsd: sum(({ service_tier: _tier, ...usage }) => usage),
  };
}

type Verdict = Record<'passed' | 'total' | 'unscored' | 'successRate', unknown>;
const verdictOf = ({ passed, total, unscored, successRate }: Record<string, unknown>): Verdict => ({
  ...{ passed, total, unscored, successRate },
});

const economical = (out: string, ...more: string[]) => [
  ...['evaluate', SCENARIO, '--out', join(project, out), '--economy', '--profile', 'quick-batches', '--json'],
  ...more,
];

/** The verdicts of all trials, sample by sample. */
async function trialsOf(out: string): Promise<unknown> {
  const results = JSON.parse(await readFile(join(project, out, 'results.json'), 'utf8')) as {
    samples: { id: string; trials: { outcome: string; stop: string }[] }[];
  };
  return results.samples.map(({ id, trials }) => [id, trials.map(({ outcome, stop }) => [outcome, stop])]);
}

test('the verdict of live calls, sample by sample, for half of what the same calls cost live', async () => {
  const simulator = await simulate();
  const finished = await tandem(project, economical('calm'), envOf(simulator));
  const result = lastJson(finished);
  expect(finished.code).toBe(0);
  expect(verdictOf(result)).toEqual(verdictOf(live));
  expect(await trialsOf('calm')).toEqual(await trialsOf('live'));
  const bill = await billOf(simulator);
  expect(bill.usd).toBeCloseTo(bill.liveUsd / 2, 9);
  expect(result['costUsd']).toBeCloseTo(bill.usd, 9);
  const settled = (await spendLines(join(project, 'calm'))).filter(({ type }) => type === 'settled');
  expect(settled).toHaveLength(bill.answers);
  // A turn of all samples goes together.
  expect(simulator.batches.length).toBeLessThan(bill.answers / 3);
  expect(simulator.requests.some(({ path }) => path === '/v1/messages')).toBe(false);
  expect(finished.stderr).toMatch(/calls of claude-\S+ in a batch: msgbatch_\w+ is sent, at half price/);
});

/** The books of a folder against the server's own count: every answer once, and nothing left open or uncertain. */
async function expectBooked(dir: string, simulators: readonly Simulator[]): Promise<void> {
  const records = await openFileSpending(dir).list();
  const sum = (of: (record: (typeof records)[number]) => number) => records.reduce((all, one) => all + of(one), 0);
  const bills = await Promise.all(simulators.map(billOf));
  expect(sum(({ answers }) => answers)).toBe(bills.reduce((all, { answers }) => all + answers, 0));
  expect(sum(({ usd }) => usd)).toBeCloseTo(
    bills.reduce((all, { usd }) => all + usd, 0),
    9,
  );
  expect(sum(({ uncertainUsd, reservedUsd }) => uncertainUsd + reservedUsd)).toBe(0);
}

/** No request was answered twice: the words of a trial are part of each. */
function expectNothingTwice({ batches }: Simulator, trials: number): void {
  const answered = new Map<string, number>();
  for (const { requests, results = [] } of batches)
    for (const { custom_id: id, result } of results) {
      const params = JSON.stringify(requests.find((one) => one.custom_id === id)?.params);
      if (result.type === 'succeeded') answered.set(params, (answered.get(params) ?? 0) + 1);
    }
  for (const count of answered.values()) expect(count).toBeLessThanOrEqual(trials);
}

type Moment = { on: NonNullable<RequestRecord['batch']>; nth: number };

/** Runs the command again and again, and kills it when the server has seen so many requests of a kind since its start. */
async function killedAt(moments: readonly Moment[], args: string[], options: Partial<SimulatorOptions>) {
  let onRequest: (record: RequestRecord) => void = () => undefined;
  const simulator = await simulate({ ...options, onRequest: (record) => onRequest(record) });
  let kills = 0;
  for (const { on, nth } of moments) {
    const child = start(project, args, envOf(simulator));
    let seen = 0;
    onRequest = ({ batch }) => {
      if (batch === on) seen += 1;
      if (batch === on && seen === nth) child.kill('SIGKILL');
    };
    const { signal } = await child.done;
    if (signal === 'SIGKILL') kills += 1;
    else break;
  }
  onRequest = () => undefined;
  const finished = await tandem(project, args, envOf(simulator));
  return { simulator, kills, finished };
}

test('kill -9 before the sending, before its answer, while waiting and while results are read: nothing is paid twice', async () => {
  const moments: Moment[] = [
    { on: 'list', nth: 2 },
    { on: 'create', nth: 1 },
    { on: 'retrieve', nth: 1 },
    { on: 'results', nth: 1 },
    { on: 'create', nth: 2 },
  ];
  const { simulator, kills, finished } = await killedAt(moments, economical('killed'), { batchDelayMs: 200 });
  expect(kills).toBe(moments.length);
  expect(finished.code).toBe(0);
  expect(verdictOf(lastJson(finished))).toEqual(verdictOf(live));
  expect(await trialsOf('killed')).toEqual(await trialsOf('live'));
  await expectBooked(join(project, 'killed'), [simulator]);
  expectNothingTwice(simulator, 1);
});

/** Small and seeded, so that a failure can be had again. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const KINDS = BatchFaultKind.options.filter((kind) => kind !== 'stuck');
const MOMENTS = ['list', 'create', 'retrieve', 'results'] as const;

test.each(FULL ? Array.from({ length: 10 }, (_, seed) => seed + 1) : [1])(
  'a storm of faults and kills (seed %i): the verdict of calm weather, and the bill of the server',
  async (seed) => {
    const random = chance(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
    const batchFaults = Array.from({ length: 8 }, () => ({ kind: pick(KINDS), nth: 1 + Math.floor(random() * 16) }));
    const moments = Array.from({ length: FULL ? 8 : 3 }, () => ({
      on: pick(MOMENTS),
      nth: 1 + Math.floor(random() * 3),
    }));
    const options = { batchDelayMs: 60, batchFaults };
    const { simulator, kills, finished } = await killedAt(moments, economical(`storm-${seed}`), options);
    console.info(
      `seed ${seed}: ${kills} kills, ${simulator.batches.length} batches, faults ${JSON.stringify(batchFaults)}`,
    );
    expect(finished.code).toBe(0);
    expect(verdictOf(lastJson(finished))).toEqual(verdictOf(live));
    await expectBooked(join(project, `storm-${seed}`), [simulator]);
    expectNothingTwice(simulator, 1);
  },
);

test('a batch that does not end is cancelled after --live-after, and its rest is made live', async () => {
  const simulator = await simulate({ batchFaults: [{ kind: 'stuck', nth: 1 }] });
  const finished = await tandem(project, economical('late', '--live-after', '1s', '--limit', '5'), envOf(simulator));
  expect(lastJson(finished)).toMatchObject({ total: 5, unscored: 0 });
  expect(finished.stderr).toMatch(/older than allowed: it is cancelled, and its rest is finished live/);
  const { answers } = await billOf(simulator);
  const liveCalls = simulator.requests.filter(({ path, status }) => path === '/v1/messages' && status === 200).length;
  expect(liveCalls).toBeGreaterThan(0);
  const records = await openFileSpending(join(project, 'late')).list();
  expect(records.reduce((sum, record) => sum + record.answers, 0)).toBe(answers + liveCalls);
});

test('a cancelled run leaves no batch at work at the provider, and what it had done is booked', async () => {
  let onRequest: (record: RequestRecord) => void = () => undefined;
  await tandem(project, ['init', STARTER]);
  const simulator = await simulate({ batchDelayMs: 60_000, onRequest: (record) => onRequest(record) }, STARTER);
  const waited = Promise.withResolvers<undefined>();
  onRequest = ({ batch }) => {
    if (batch === 'retrieve') waited.resolve(undefined);
  };
  const args = ['run', STARTER, '--id', 'left', '--economy', '--profile', 'quick-batches'];
  const child = start(project, args, envOf(simulator));
  await waited.promise;
  const cancelled = await tandem(project, ['cancel', 'left'], envOf(simulator));
  expect(cancelled.code, cancelled.stderr).toBe(0);
  expect(cancelled.stdout).toMatch(
    /Batch msgbatch_\w+ has ended: \d+ of its calls were answered and are booked, [1-9]\d* cost nothing/,
  );
  await child.done;
  // Its answers come sixty seconds later, were it not cancelled; some were made by then.
  expect(simulator.batches.every(({ results }) => results !== undefined)).toBe(true);
  expect(simulator.batches.flatMap(({ results = [] }) => results.map(({ result }) => result.type))).toContain(
    'canceled',
  );
  const dir = join(project, 'scenarios', STARTER, 'runs/left');
  const subjects = (await openFileSpending(dir).list()).filter(({ agent }) => agent === 'subject');
  const sum = (of: (record: (typeof subjects)[number]) => number) => subjects.reduce((all, one) => all + of(one), 0);
  const bill = await billOf(simulator);
  expect([sum(({ answers }) => answers), sum(({ uncertainUsd, reservedUsd }) => uncertainUsd + reservedUsd)]).toEqual([
    bill.answers,
    0,
  ]);
  expect(sum(({ usd }) => usd)).toBeCloseTo(bill.usd, 9);
  const again = await tandem(project, ['cancel', 'left'], envOf(simulator));
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('has ended')]);
  expect((await openFileSpending(dir).list()).filter(({ agent }) => agent === 'subject')).toEqual(subjects);
});

test('two runs of a batch share their waves; killed and gone on with, both are paid once', async () => {
  let onRequest: (record: RequestRecord) => void = () => undefined;
  await tandem(project, ['init', STARTER]);
  const simulator = await simulate({ batchDelayMs: 300, onRequest: (record) => onRequest(record) }, STARTER);
  const profile = ['--profile', 'quick-batches'];
  const child = start(
    project,
    ['batch', STARTER, '--runs', '2', '--id', 'night', '--economy', ...profile],
    envOf(simulator),
  );
  onRequest = ({ batch }) => {
    if (batch === 'retrieve') child.kill('SIGKILL');
  };
  expect((await child.done).signal).toBe('SIGKILL');
  onRequest = () => undefined;
  const finished = await tandem(project, ['batch', '--resume', 'night', ...profile, '--json'], envOf(simulator));
  expect(finished.code).toBe(0);
  const runs = ['night-001', 'night-002'].map((run) => join(project, 'scenarios', STARTER, 'runs', run));
  const waves = await Promise.all(runs.map(async (dir) => readdir(join(dir, 'economy'))));
  expect(waves[0]?.some((name) => waves[1]?.includes(name))).toBe(true);
  const records = (await Promise.all(runs.map((dir) => openFileSpending(dir).list()))).flat();
  const economicalOnes = records.filter(({ usage }) => usage?.service_tier === 'batch');
  expect(economicalOnes.reduce((sum, { answers }) => sum + answers, 0)).toBe((await billOf(simulator)).answers);
  expect(economicalOnes.every(({ agent }) => agent === 'subject' || agent === 'user')).toBe(true);
  // Two runs, and the same first words in each of their iterations.
  expectNothingTwice(simulator, 2 * 3);
}, 180_000);
