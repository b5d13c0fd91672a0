/** A lease: one holder at a time, on many machines, and nobody waits for a dead one for ever. */
import { writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openLease } from '../../src/disk/lease.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch } from '../support/scratch.ts';

const LASTS = 1000;

async function ground() {
  const path = join(await scratch(), '.keeper.json');
  let now = Date.parse('2026-11-20T10:00:00.000Z');
  const clock = { now: () => new Date(now) };
  return {
    path,
    pass: (ms: number) => (now += ms),
    lease: (name: string) =>
      openLease({ files: openSharedFiles(dirname(path)), path: basename(path) }, clock, {
        lastsMs: LASTS,
        holder: name,
      }),
  };
}

test('of many that ask at once one has it, and keeps it as long as it asks', async () => {
  const { path, pass, lease } = await ground();
  const all = Array.from({ length: 8 }, (_, index) => lease(`w${index}`));
  const answers = await Promise.all(all.map((one) => one.mine()));
  expect(answers.filter(Boolean)).toHaveLength(1);
  const [holder, other] = [all[answers.indexOf(true)], all[answers.indexOf(false)]];
  for (let asked = 0; asked < 5; asked += 1) {
    pass(LASTS * 0.6);
    expect([await other?.mine(), await holder?.mine()]).toEqual([false, true]);
  }
  expect(await readdir(join(path, '..'))).toEqual(['.keeper.json']);
});

test('one that is silent for too long loses it to one other, and hears of it', async () => {
  const { pass, lease } = await ground();
  const [dead, ...heirs] = ['dead', 'a', 'b', 'c', 'd'].map(lease);
  expect(await dead?.mine()).toBe(true);
  pass(LASTS + 1);
  const answers = await Promise.all(heirs.map((heir) => heir.mine()));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await dead?.mine()).toBe(false);
});

test('given back it is free at once, and only its holder can give it back', async () => {
  const { lease } = await ground();
  const [one, other] = [lease('one'), lease('other')];
  expect(await one.mine()).toBe(true);
  await other.release();
  expect(await other.mine()).toBe(false);
  await one.release();
  expect(await other.mine()).toBe(true);
});

test('who was slower to take a lapsed lease takes nothing away from who was quicker', async () => {
  const { path, pass, lease } = await ground();
  await lease('dead').mine();
  pass(LASTS + 1);
  const until = '2026-11-20T11:00:00.000Z';
  const quicker = `${JSON.stringify({ version: 1, holder: 'quicker', until })}\n`;
  // Between its look at the file and its move somebody else has it.
  const clock = {
    now: () => {
      writeFileSync(path, quicker);
      return new Date('2026-11-20T10:00:02.000Z');
    },
  };
  expect(
    await openLease({ files: openSharedFiles(dirname(path)), path: basename(path) }, clock, {
      lastsMs: LASTS,
      holder: 'slower',
    }).mine(),
  ).toBe(false);
  expect(await readFile(path, 'utf8')).toBe(quicker);
  expect(await readdir(join(path, '..'))).toEqual(['.keeper.json']);
});

test('a file that cannot be read holds nothing', async () => {
  const { path, lease } = await ground();
  await writeFile(path, 'not json');
  expect(await lease('one').mine()).toBe(true);
  expect(await readFile(path, 'utf8')).toContain('"holder":"one"');
});
