/** An evaluation is killed with SIGKILL and started again: what was finished is not run again, and the report is the same. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ChildSetting } from '../support/evaluate-child.ts';
import { lampsBrief, lampsDesign, lampsFolder } from '../evaluation/lamps.ts';

const CHILD = join(import.meta.dirname, '../support/evaluate-child.ts');
const CONCURRENCY = 4;
const TRIALS = 60;

/** Starts the evaluation; kills it when so many trials are done, or lets it end. */
async function evaluate(setting: ChildSetting, killAt?: number): Promise<void> {
  const path = join(setting.attempt, 'setting.json');
  writeFileSync(path, JSON.stringify(setting));
  const child = spawn(process.execPath, [CHILD, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  const ended = once(child, 'exit');
  const enough = killAt ?? Number.POSITIVE_INFINITY;
  while (enough < Number.POSITIVE_INFINITY && child.exitCode === null) {
    if (linesOf(setting.log).filter((line) => line.startsWith('done')).length >= enough) child.kill('SIGKILL');
    if (child.killed) break;
    await delay(5);
  }
  await ended;
}

const linesOf = (log: string): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
const callsOf = (log: string): string[] => linesOf(log).filter((line) => line.startsWith('subject/'));

async function prepare(name: string): Promise<ChildSetting> {
  const dir = await lampsFolder();
  const attempt = join(dir, `wip-${name}`);
  mkdirSync(attempt);
  const brief = lampsBrief({ trials: TRIALS / 2 });
  return { dir, attempt, design: lampsDesign(), brief, log: join(attempt, 'log'), delayMs: 15 };
}

test.each([10, 30, 50])('killed after %i of 60 trials', async (killAt) => {
  const undisturbed = await prepare('undisturbed');
  await evaluate(undisturbed);
  const setting = await prepare('killed');
  await evaluate(setting, killAt);
  expect(existsSync(join(setting.dir, 'results.json'))).toBe(false);
  const before = new Set(callsOf(setting.log));

  const fresh = { ...setting, dir: await lampsFolder(), log: join(setting.attempt, 'log-again') };
  await evaluate(fresh);
  const again = new Set(callsOf(fresh.log));
  const twice = [...again].filter((lane) => before.has(lane));
  console.info(
    `killed after ${killAt}: ${before.size} trials begun, ${again.size} run after, ${twice.length} of them again`,
  );
  // As many as are played, and as many on their way to a verdict.
  expect(twice.length).toBeLessThanOrEqual(2 * CONCURRENCY);
  expect(new Set([...before, ...again]).size).toBe(TRIALS);

  const timeless = (dir: string) =>
    readFileSync(join(dir, 'results.json'), 'utf8').replaceAll(/"durationMs": [\d.]+/g, '"durationMs": 0');
  expect(timeless(fresh.dir)).toBe(timeless(undisturbed.dir));
});
