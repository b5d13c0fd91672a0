/** Whole runs of a shipped scenario behind a relay that breaks every second call, with what the server itself billed for them. */
import { appendFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { startFaultRelay } from './faults/relay.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { requireModel } from '../../src/app/models/known-model.ts';
import { computeCost, type ModelFacts } from '../../src/ports/model.ts';
import { Usage } from '../../src/transcript/message.ts';
import { lastJson, makeProject, tandem } from './cli.ts';

/** Faults of an outage: most refuse the call, and some take the answer that was paid. */
const REFUSED = ['500', '529', '429_ms', 'refused'];
const LOST = ['lost_answer', 'cut', 'cut_half', 'mid_stream', '408', '504'];
const LOST_SHARE = 0.12;
const MODELS = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'];

/** `mostUsd` is the upper end that is shown, `limitUsd` what no provider can bill more than. */
export type MeasuredRun = {
  code: number | null;
  stderr: string;
  usd: number;
  mostUsd: number;
  limitUsd: number;
  billedUsd: number;
};

export function measureCleanRun(scenario: string): Promise<MeasuredRun> {
  return measureRun(scenario, undefined);
}

export function measureRunUnderFaults(scenario: string, seed: number, rate = 0.5): Promise<MeasuredRun> {
  const spread = (kinds: readonly string[], share: number) =>
    kinds.map((kind) => ({ kind, rate: (rate * share) / kinds.length }));
  return measureRun(scenario, { seed, faults: [...spread(LOST, LOST_SHARE), ...spread(REFUSED, 1 - LOST_SHARE)] });
}

async function measureRun(
  scenario: string,
  storm: { seed: number; faults: { kind: string; rate: number }[] } | undefined,
): Promise<MeasuredRun> {
  const prices = await readPrices();
  const project = await makeProject(scenario);
  // Pauses cost time and no money.
  await appendFile(join(project, 'config/default.yaml'), 'retry: { min_delay_ms: 2, max_delay_ms: 20 }\n');
  let billedUsd = 0;
  const simulator = await startSimulator({
    simulationDir: join(project, 'scenarios', scenario, 'simulation'),
    onRequest: ({ billed, model = '' }) => {
      const price = prices.get(model);
      if (billed !== undefined && price !== undefined) billedUsd += computeCost(Usage.parse(billed), price);
    },
  });
  const relay = storm && (await startFaultRelay({ upstream: simulator.url, ...storm }));
  try {
    const env = { ANTHROPIC_BASE_URL: relay?.url ?? simulator.url, ANTHROPIC_API_KEY: 'offline' };
    const ended = await tandem(project, ['run', scenario, '--id', 'night', '--on-gate', 'auto:demo', '--json'], env);
    const shown = lastJson(await tandem(project, ['status', 'night', '--json'], env));
    const usd = Number(shown['costUsd']);
    const { code, stderr } = ended;
    const mostUsd = usd + Number(shown['uncertainUsd']);
    return { code, stderr: stderr.slice(-1500), usd, mostUsd, limitUsd: Number(shown['costAtMostUsd']), billedUsd };
  } finally {
    await relay?.close();
    await simulator.close();
  }
}

async function readPrices(): Promise<Map<string, ModelFacts['price']>> {
  const home = { project: resolve('.'), shipped: resolve('.') };
  const found = MODELS.map(async (model) => [model, (await requireModel(home, model)).price] as const);
  return new Map(await Promise.all(found));
}

/** What every such night must hold; `clean` is a night without faults. */
export function expectHonestMoney(run: MeasuredRun, clean: MeasuredRun, what: string): void {
  expect.soft(run.code, `${what}: ${run.stderr}`).toBe(0);
  expect.soft(run.usd, `${what}: no more is sure than was billed`).toBeLessThanOrEqual(run.billedUsd + 1e-9);
  expect.soft(run.mostUsd, `${what}: the bill is inside`).toBeGreaterThanOrEqual(run.billedUsd - 1e-9);
  expect.soft(run.limitUsd, `${what}: the limit`).toBeGreaterThanOrEqual(run.mostUsd - 1e-9);
  expect.soft(run.mostUsd, `${what}: the upper end`).toBeLessThanOrEqual(1.2 * clean.usd);
}
