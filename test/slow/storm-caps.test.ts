/** Two workers under one small cap, killed at any write, with clocks that jump and prices that change: the cap holds at every moment, and the books hold the bill. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { startFaultRelay } from '../support/faults/relay.ts';
import type { CapStorm } from '../support/cap-child.ts';
import { billOfUsage, hostileUsage } from '../support/cap-storm.ts';
import { chance } from '../support/chance.ts';
import { say } from '../support/responses.ts';
import { scratch } from '../support/scratch.ts';
import { answers, startScriptedServer } from '../support/scripted-server.ts';

const CHILD = fileURLToPath(new URL('../support/cap-child.ts', import.meta.url));
const CLOCK = fileURLToPath(new URL('../support/skewed-clock.mjs', import.meta.url));
const isFull = process.env['TANDEM_STORMS'] === 'full';
const FIRST = Number(process.env['TANDEM_FIRST_SEED'] ?? 1);
const SEEDS = Array.from({ length: isFull ? 30 : 4 }, (_, place) => FIRST + place);
const WORKERS = [0, 1];
const CALLS = 9;
const HOUR_MS = 3_600_000;
const LOOK_MS = 25;

const KINDS = [
  ...['lost_answer', 'cut', 'cut_start', 'cut_frame', 'cut_end', 'mid_stream', 'first_error', 'garbled', 'null_usage'],
  ...['no_usage', 'refusal', 'pause_turn', '500', '502_html', '504', '529', '408', 'refused'],
];
const FAULTS = KINDS.map((kind) => ({ kind, rate: 0.3 / KINDS.length }));

type Provider = {
  url: string;
  billedUsd: () => number;
  setPrice: (dearer: number) => void;
  close: () => Promise<void>;
};

/** It bills as much as a provider may. */
async function startProvider(seed: number, random: () => number): Promise<Provider> {
  let [billedUsd, dearer] = [0, 1];
  const server = await startScriptedServer([
    (response) => {
      const body = server.received.at(-1)?.body ?? {};
      const usage = hostileUsage(body, random);
      billedUsd += billOfUsage(usage, String(body['model']), dearer);
      setTimeout(() => answers(say('An answer long enough to be cut.', { usage }))(response), random() * 20);
    },
  ]);
  const relay = await startFaultRelay({ upstream: server.url, faults: FAULTS, seed });
  return {
    url: relay.url,
    billedUsd: () => billedUsd,
    setPrice: (next) => {
      dearer = next;
    },
    close: async () => {
      await relay.close();
      await server.close();
    },
  };
}

type End = { signal: NodeJS.Signals; afterMs: number };

/** One worker. Resolves with what it said when it has ended. */
function work(storm: CapStorm, end: End | undefined, clock: { skewMs: number; afterMs: number }): Promise<string> {
  const env = {
    ...process.env,
    TANDEM_TEST_SKEW_MS: String(clock.skewMs),
    TANDEM_TEST_SKEW_AFTER_MS: String(clock.afterMs),
  };
  const args = ['--no-warnings', `--import=${CLOCK}`, CHILD, JSON.stringify(storm)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (end !== undefined && text.includes('ready')) setTimeout(() => child.kill(end.signal), end.afterMs);
  });
  return new Promise((settle) => child.on('close', () => settle(said)));
}

async function sumsOf(dir: string): Promise<{ usd: number; perhapsUsd: number }> {
  const records = await openFileSpending(dir).list();
  return {
    usd: records.reduce((sum, one) => sum + one.usd, 0),
    perhapsUsd: records.reduce((sum, one) => sum + one.usd + one.uncertainUsd + one.reservedUsd, 0),
  };
}

/** Looks as long as the workers work. */
async function watched(dir: string, capUsd: number, { billedUsd }: Provider, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = ended.finally(() => (isOver = true));
  for (;;) {
    const last = isOver;
    const before = billedUsd();
    const { usd, perhapsUsd } = await sumsOf(dir);
    expect(perhapsUsd, 'what is and what may be spent is under the cap').toBeLessThanOrEqual(capUsd + 1e-6);
    expect(usd, 'no more is sure than was billed').toBeLessThanOrEqual(billedUsd() + 1e-9);
    expect(before, 'nothing was billed that nobody counts').toBeLessThanOrEqual(perhapsUsd + 1e-9);
    if (last) break;
    await delay(LOOK_MS);
  }
  await over;
}

test.each(SEEDS)('seed %i', { retry: 0 }, async (seed) => {
  const random = chance(seed);
  const provider = await startProvider(seed, random);
  try {
    const root = await scratch();
    const store = openFileRunStore({ roots: [root], clock: { now: () => new Date() }, worker: 't' });
    const { dir } = await store.create(join(root, 'desk'), `caps-${seed}`);
    let capUsd = 0.6 + random();
    const both = async (isLast: boolean): Promise<string[]> => {
      const dearer = isLast ? 1 : 0.5 + random();
      provider.setPrice(dearer);
      const lives = WORKERS.map((worker) => {
        const storm = { url: provider.url, dir, seed, worker, calls: CALLS, capUsd, dearer };
        const signal = random() < 0.7 ? 'SIGKILL' : 'SIGTERM';
        const end = isLast ? undefined : ({ signal, afterMs: random() * 300 } as const);
        const skewMs = [0, HOUR_MS, -HOUR_MS][Math.floor(random() * 3)] ?? 0;
        return work(storm, end, { skewMs, afterMs: random() < 0.5 ? 0 : 300 + random() * 300 });
      });
      const ended = Promise.all(lives);
      await watched(dir, capUsd, provider, ended);
      return ended;
    };
    for (let round = 0; round < 3; round += 1) await both(false);
    let said = await both(true);
    // Whoever ran out of money goes on with more, as with tandem resume --raise.
    for (let raises = 0; raises < 8 && said.some((words) => !words.includes('done')); raises += 1) {
      expect(said.filter((words) => !/done|no money/.test(words))).toEqual([]);
      capUsd *= 2;
      said = await both(true);
    }
    expect(said.map((words) => words.includes('done'))).toEqual([true, true]);
    const { usd } = await sumsOf(dir);
    expect(usd).toBeGreaterThan(0);
  } finally {
    await provider.close();
  }
});
