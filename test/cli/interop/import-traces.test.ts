import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importCommand } from '../../../src/cli/interop/import.ts';
import { writeLoanDesk } from '../../interop/traces/loan-desk.ts';
import { chance } from '../../support/chance.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';
import { checkHeldOutTraces } from './check-held-out-traces.ts';

const { signal } = new AbortController();
const OPTIONS = { for: 'desk', allowUnsandboxed: true, json: true } as const;

test('10 held-out traces: what is accepted proves itself, nothing is invented, no secret is written', async () => {
  await checkHeldOutTraces(10);
});

test('a file without a conversation is refused by its line, and nothing is written', async () => {
  const io = fakeIo(await scratch());
  await writeLoanDesk(join(io.cwd, 'desk'), chance(1));
  await writeFile(join(io.cwd, 'bad.json'), '{"steps": [\n');
  await expect(importCommand({ format: 'traces', source: 'bad.json' }, OPTIONS, { io, signal })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/^bad\.json: line \d/) as string,
  });
  await writeFile(join(io.cwd, 'none.json'), '{"spans": 3}');
  const none = importCommand({ format: 'traces', source: 'none.json' }, OPTIONS, { io, signal });
  await expect(none).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('none.json') as string });
  const { for: _, ...unnamed } = OPTIONS;
  await expect(importCommand({ format: 'traces', source: 'none.json' }, unnamed, { io, signal })).rejects.toThrow(
    '--for',
  );
  expect((await readdir(io.cwd)).toSorted()).toEqual(['bad.json', 'desk', 'none.json']);
});
