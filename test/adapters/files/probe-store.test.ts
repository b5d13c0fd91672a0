import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probeStore } from '../../../src/adapters/files/probe-store.ts';
import { scratch } from '../../support/scratch.ts';

test('finds no fault with a local disk, and cleans up behind itself', async () => {
  const dir = await scratch();
  expect(await probeStore(dir)).toEqual([]);
  expect(await readdir(dir)).toEqual([]);
});

test('says what is broken in a place that cannot be written to', async () => {
  expect(await probeStore(join(await scratch(), 'gone'))).toEqual([
    expect.stringContaining('a folder can be made and removed: not here'),
  ]);
});
