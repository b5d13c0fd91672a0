/** The context bench as a command: its last line is the rows, and no policy of ours sends what the API would refuse. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { z } from 'zod';

const Row = z.looseObject({
  system: z.literal('tandem'),
  scenario: z.string(),
  policy: z.string(),
  faults: z.number(),
  fits: z.boolean(),
  factsPlanted: z.number(),
  factsKept: z.number(),
  staleThinking: z.number(),
  summariserTokens: z.number(),
  costUsd: z.number().positive(),
  cpuMs: z.number().positive(),
  peakMiB: z.number(),
});

test('--quick --json: six policies on five conversations, all valid, all fitting, five rounds and more', () => {
  const { stdout, status } = spawnSync(process.execPath, ['bench/context/run.ts', '--quick', '--json'], {
    encoding: 'utf8',
    timeout: 200_000,
  });
  expect(status).toBe(0);
  const { rows } = z.object({ rows: z.array(Row) }).parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  expect(rows).toHaveLength(30);
  expect(rows.filter(({ faults, fits, staleThinking }) => faults + staleThinking > 0 || !fits)).toEqual([]);
  const whole = rows.filter(({ policy }) => policy === 'two-agent' || policy === 'native' || policy === 'windowed');
  expect(whole.filter(({ factsKept, factsPlanted }) => factsKept < factsPlanted)).toEqual([]);
}, 240_000);

test('a flag that it does not know is refused by name', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bench/context/run.ts', '--quik'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'bench:context: --quik is not known. Expected --json, --quick, --docs.\n']);
});
