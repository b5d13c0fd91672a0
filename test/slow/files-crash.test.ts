/** Workers are killed with SIGKILL at any moment: nothing that was acknowledged is lost, and nothing is there twice. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openFileArtifacts } from '../../src/adapters/files/file-artifacts.ts';
import { openFileJournal } from '../../src/adapters/files/file-journal.ts';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { scratch } from '../support/scratch.ts';

const CHILD = fileURLToPath(new URL('../support/crash-child.ts', import.meta.url));

/** The same moments at every run of the test; what they hit is up to the machine. */
function moments(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

type Worker = { lines: string[]; first: Promise<void>; exit: Promise<number | null>; kill: () => void };

function start(mode: string, dir: string, name: string): Worker {
  const child = spawn(process.execPath, [CHILD, mode, dir, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const begun = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    begun.resolve();
  });
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      begun.resolve();
      resolve(code);
    });
  });
  return { lines, first: begun.promise, exit, kill: () => child.kill('SIGKILL') };
}

/** One worker's lives: killed at a random moment, started anew, `lives` times. */
async function killedAgain(mode: string, dir: string, name: string, lives: number, seed: number): Promise<string[]> {
  const random = moments(seed);
  const said: string[] = [];
  for (let life = 0; life < lives; life += 1) {
    const worker = start(mode, dir, name);
    await worker.first;
    await delay(random() * 60);
    worker.kill();
    await worker.exit;
    said.push(...worker.lines);
  }
  return said;
}

test('three writers on one journal, killed five times each, leave one unbroken chain', async () => {
  const dir = await scratch();
  const names = ['a', 'b', 'c'];
  const said = await Promise.all(names.map((name, index) => killedAgain('append', dir, name, 5, index + 1)));
  const events = await openFileJournal(dir, { clock: { now: () => new Date() } }).read();
  expect(events.length).toBeGreaterThan(15);
  for (const [index, name] of names.entries()) {
    for (const seq of said[index] ?? []) expect(events[Number(seq)]?.actor).toBe(`worker:${name}`);
  }
  expect(new Set(said.flat()).size).toBe(said.flat().length);
});

test('a worker that is killed again and again commits every folder once and pays at most one call more a kill', async () => {
  const dir = await scratch();
  const random = moments(7);
  let kills = 0;
  // Lives grow longer, so that also a slow machine comes to the end.
  for (;;) {
    const worker = start('commit', dir, 'w');
    await worker.first;
    const finished = await Promise.race([worker.exit, delay(5 + random() * 60 + kills).then(() => undefined)]);
    if (finished !== undefined) {
      expect(finished).toBe(0);
      break;
    }
    worker.kill();
    await worker.exit;
    kills += 1;
    expect(kills).toBeLessThan(150);
  }
  const artifacts = openFileArtifacts(dir, 'reader');
  for (let number = 1; number <= 8; number += 1) {
    const committed = await artifacts.committed(`execution_outputs/iteration_${number}`, true);
    expect(committed?.manifest.files.map(({ path }) => path)).toEqual([
      '1.txt',
      '2.txt',
      '3.txt',
      '4.txt',
      '5.txt',
      '6.txt',
    ]);
    expect(await readFile(join(committed?.dir ?? '', '6.txt'), 'utf8')).toBe(`answer ${number}.6`);
  }
  const paid = (await readFile(join(dir, 'paid.log'), 'utf8')).trim().split('\n');
  expect(new Set(paid).size).toBe(48);
  expect(paid.length).toBeLessThanOrEqual(48 + kills);
  expect(await readdir(join(dir, 'wip'))).toEqual([]);
});

test('workers that share a cap never pass it, killed or not', async () => {
  const dir = await scratch();
  const lives = await Promise.all(['a', 'b', 'c'].map((name, index) => killedAgain('spend', dir, name, 3, index + 11)));
  const last = start('spend', dir, 'd');
  expect(await last.exit).toBe(0);
  const records = await openFileSpending(dir).list();
  const held = records.reduce((sum, one) => sum + one.usd + one.uncertainUsd + one.reservedUsd, 0);
  expect(held).toBeLessThanOrEqual(200);
  expect(held).toBeGreaterThan(198);
  const settled = new Set(records.flatMap(({ call, answers }) => (answers === 0 ? [] : [call])));
  for (const call of [...lives.flat(), ...last.lines])
    if (!['ready', 'full'].includes(call)) expect(settled).toContain(call);
});
