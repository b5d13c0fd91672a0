/** Imports generated traces of every form, which nobody tuned an import to, and proves what they became. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { importCommand } from '../../../src/cli/interop/import.ts';
import { verifyComponentsCommand } from '../../../src/cli/evaluate/verify-components.ts';
import { listLeaves } from '../../../src/interop/traces/world-places.ts';
import { valueAt, joinPointer } from '../../../src/scenario/json/patch.ts';
import type { Sample } from '../../../src/scenario/sample.ts';
import { makeTraces, writeLoanDesk } from '../../interop/traces/loan-desk.ts';
import { FORMS, writeTrace } from '../../interop/traces/recorded-forms.ts';
import { chance } from '../../support/chance.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

const { signal } = new AbortController();
const OPTIONS = { for: 'desk', allowUnsandboxed: true, json: true } as const;
type Written = { id: string; place: string; disposition: string; notes: string[] };

async function readWritten(folder: string): Promise<Written[]> {
  const text = await readFile(join(folder, 'proposals.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Written);
}

/** What is accepted proves itself, nothing is invented, and no secret is written. */
export async function checkHeldOutTraces(count: number): Promise<void> {
  const io = fakeIo(await scratch());
  const pick = chance(35);
  await writeLoanDesk(join(io.cwd, 'desk'), pick);
  const made = makeTraces(count, pick);
  await mkdir(join(io.cwd, 'traces'));
  const extension = (form: string): string => (form === 'openai' || form === 'claude-code' ? 'jsonl' : 'json');
  for (const [index, { steps }] of made.entries()) {
    const form = FORMS[index % FORMS.length] ?? 'atif';
    // The kind of a trace and its form go round at different speeds.
    const other = FORMS[(index + Math.floor(index / 10)) % FORMS.length] ?? form;
    const name = `${String(index).padStart(2, '0')}.${extension(other)}`;
    await writeFile(join(io.cwd, 'traces', name), writeTrace(other, steps, `conversation-${index}`));
  }
  expect(await importCommand({ format: 'traces', source: 'traces' }, OPTIONS, { io, signal })).toBe(0);
  const folder = join(io.cwd, 'imported/traces');
  const written = await readWritten(folder);
  const expected = made.map(({ expected: kind }, index) => `${String(index).padStart(2, '0')} ${kind}`);
  expect(written.map(({ place, disposition }) => `${/(\d\d)\.json/.exec(place)?.[1]} ${disposition}`)).toEqual(
    expected,
  );

  // Every fact of an accepted start world is in the world that made the trace, or stands in for an address or a number of it.
  const exact = written.filter(({ disposition }) => disposition === 'exact');
  let facts = 0;
  for (const { id, place } of exact) {
    const sample = JSON.parse(await readFile(join(folder, `exact/${id}.json`), 'utf8')) as Sample;
    const world = 'world' in sample.start ? sample.start.world : {};
    const truth = made[Number(/(\d\d)\.json/.exec(place)?.[1])]?.world;
    for (const [keys, value] of listLeaves(world)) {
      facts += 1;
      const there = valueAt(truth, joinPointer(keys));
      if (keys.at(-1) === 'email') expect(value).toMatch(/^person\d+@example\.com$/);
      else if (keys.at(-1) === 'phone') expect(value).toMatch(/^\+10 000 0\d+ \d\d$/);
      else expect(value).toEqual(there);
    }
    await cp(join(folder, `exact/${id}.json`), join(io.cwd, `desk/samples/${id}.json`));
  }
  expect(facts).toBeGreaterThan(count * 4);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile())) {
    const text = await readFile(join(file.parentPath, file.name), 'utf8');
    for (const secret of made.flatMap(({ secrets }) => secrets)) expect(text).not.toContain(secret);
  }
  const verify = { samples: '0', seconds: '0', allowUnsandboxed: true } as const;
  expect([await verifyComponentsCommand('desk', verify, { io, signal }), io.lines.slice(-60)]).toEqual([
    0,
    expect.anything(),
  ]);
}
