import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCapsFor } from '../../../src/adapters/sandbox/limits.ts';
import { scratch } from '../../support/scratch.ts';

test('a process gets more memory on a folder with a large world, and nowhere else', async () => {
  const dir = await scratch();
  const usual = { heapMb: 512, nodeMb: 1024, pythonMb: 512 };
  expect(memoryCapsFor(dir)).toEqual(usual);
  await mkdir(join(dir, 'samples/worlds'), { recursive: true });
  await writeFile(join(dir, 'samples/worlds/small.json'), '{}');
  await writeFile(join(dir, 'samples/large.json'), 'x'.repeat(2_000_000));
  expect(memoryCapsFor(dir)).toEqual(usual);
  await writeFile(join(dir, 'samples/worlds/large.json'), 'x'.repeat(2_000_000));
  expect(memoryCapsFor(dir)).toEqual({ heapMb: 512, nodeMb: 1536, pythonMb: 1024 });
});
