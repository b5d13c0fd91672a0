/** Evaluations and runs in batches, as processes: the verdict of live calls for half the money, and nothing paid twice however they die (13.11). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRow, ModelTable, priceOf } from '../../src/adapters/anthropic/models-table.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../src/adapters/simulated/start.ts';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { costOf } from '../../src/ports/model.ts';
import { Usage } from '../../src/transcript/message.ts';
import { lastJson, makeProject, spendLines, tandem } from '../support/cli.ts';

const SCENARIO = 'refund-desk';
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
}, 120_000);

let simulators: Simulator[] = [];
afterAll(async () => {
  for (const simulator of simulators) await simulator.close();
});

async function simulate(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulationDir = join(project, 'scenarios', SCENARIO, 'simulation');
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
    usages.reduce((total, { usage, model }) => total + costOf(of(usage), priceOf(findRow(table, String(model))!)!), 0);
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
