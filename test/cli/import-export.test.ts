import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportCommand } from '../../src/cli/interop/export.ts';
import { importCommand } from '../../src/cli/interop/import.ts';
import { planSamplesCommand } from '../../src/cli/evaluate/statistics.ts';
import { scratch } from '../support/scratch.ts';
import { fakeIo } from './fake-io.ts';

const { signal } = new AbortController();

test('an Inspect log comes in, goes out and comes in again', async () => {
  const io = fakeIo(await scratch());
  const sample = { epoch: 1, input: 'Light!', target: '', messages: [{ role: 'assistant', content: 'It is on.' }] };
  const samples = [
    { ...sample, id: 'one', scores: { s: { value: 'C' } } },
    { ...sample, id: 'two', scores: { s: { value: 'I' } } },
  ];
  const log = { version: 2, status: 'success', eval: { task: 'lamps' }, samples };
  await writeFile(join(io.cwd, 'runs.json'), JSON.stringify(log));
  await writeFile(join(io.cwd, 'runs.jsonl'), '{}\n');
  await expect(importCommand({ format: 'tau', source: 'runs.jsonl' }, {}, { io, signal })).rejects.toThrow(
    /imported no more: tandem rejudge runs\.jsonl/,
  );
  expect(await importCommand({ format: 'inspect', source: 'runs.json' }, { json: true }, { io, signal })).toBe(0);
  expect(io.json()).toMatchObject({ folder: join(io.cwd, 'imported/runs'), files: 3 });
  expect(await exportCommand({ format: 'inspect', run: 'imported/runs' }, { out: 'log.json' }, io)).toBe(0);
  expect(
    await importCommand({ format: 'inspect', source: 'log.json' }, { out: 'again', json: true }, { io, signal }),
  ).toBe(0);
  const results = JSON.parse(await readFile(join(io.cwd, 'again/results.json'), 'utf8')) as {
    passed: number;
    total: number;
  };
  expect([results.passed, results.total]).toEqual([1, 2]);
  const twice = exportCommand({ format: 'jsonl', run: 'again' }, { out: 'log.json' }, io);
  await expect(twice).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/is there already/) as string,
  });
  expect(await readFile(join(io.cwd, 'log.json'), 'utf8')).toContain('eval_id');
  io.lines.length = 0;
  expect(await exportCommand({ format: 'jsonl', run: 'again' }, {}, io)).toBe(0);
  expect(
    io.lines
      .join('\n')
      .split('\n')
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome),
  ).toEqual(['pass', 'fail']);
});

test('promptfoo: samples, one checker, the gaps', async () => {
  const io = fakeIo(await scratch());
  await writeFile(
    join(io.cwd, 'promptfooconfig.yaml'),
    `prompts: ["{{q}}"]
tests:
  - vars: { q: Hi }
    assert: [{ type: contains, value: Hello }]
  - vars: { q: [Hi, Ho] }
    assert: [{ type: moderation }]
  - file://more.csv
`,
  );
  await writeFile(join(io.cwd, 'more.csv'), 'q,__expected\nA,contains: a\n"B\nC",moderation\n');
  expect(
    await importCommand(
      { format: 'promptfoo', source: 'promptfooconfig.yaml' },
      { name: 'greeting', json: true },
      { io, signal },
    ),
  ).toBe(0);
  expect(await readdir(join(io.cwd, 'imported/greeting'))).toEqual(['GAPS.md', 'checkers', 'design', 'samples']);
  // What is left out is named by test and by the line of its assertion, also in another file.
  const gaps = await readFile(join(io.cwd, 'imported/greeting/GAPS.md'), 'utf8');
  expect(gaps).toContain('promptfooconfig.yaml:6: test "test 1 of 2": assertion 1 (moderation)');
  expect(gaps).toContain('promptfooconfig.yaml:5: test "test 2 of 2": no assertion is left');
  expect(gaps).toContain('more.csv:3: test "5": assertion 1 (moderation)');
});

test('a log with the name that Inspect gives it is imported, however long its name is', async () => {
  const io = fakeIo(await scratch());
  const source = '2026-08-22T10-11-12+00-00_a-task-of-20-letters_AbCdEfGhIjKlMnOpQrStUv.json';
  const log = {
    version: 2,
    status: 'success',
    eval: { task: 't' },
    samples: [{ id: 1, scores: { s: { value: 'C' } } }],
  };
  await writeFile(join(io.cwd, source), `\uFEFF${JSON.stringify(log)}`);
  await importCommand({ format: 'inspect', source }, { out: 'here' }, { io, signal });
  await importCommand({ format: 'inspect', source }, { json: true }, { io, signal });
  expect(await readdir(join(io.cwd, 'here'))).toContain('results.json');
  const { folder } = io.json() as { folder: string };
  expect(folder).toMatch(/\/imported\/2026-08-22t10-11-12-00-00-a-task-of-20-letters-[a-z-]*-[0-9a-f]{8}$/);
});

test.each([
  ['csv', 'a.json', {}, 'expected promptfoo, inspect or traces'],
  ['tau', 'missing.json', {}, 'is not there'],
  ['tau2', '.', {}, 'is a folder, and tau2 is imported from a file'],
  ['inspect', 'a.json', { name: 'Bad Name' }, 'small letters'],
  ['inspect', 'a.json', {}, 'is no JSON'],
  ['inspect', 'a.json', { out: '' }, '--out is empty'],
])('import %s %s is refused in one sentence, and nothing is written', async (format, source, options, says) => {
  const io = fakeIo(await scratch());
  await writeFile(join(io.cwd, 'a.json'), '{"half":');
  await expect(importCommand({ format, source }, options, { io, signal })).rejects.toThrow(says);
  expect(await readdir(io.cwd)).toEqual(['a.json']);
});

test('plan samples: what must pass, and what is no share is refused', () => {
  const io = fakeIo('.');
  expect(planSamplesCommand({ target: '0.85', json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({
    target: 0.85,
    needed: expect.arrayContaining([{ failures: 0, samples: 22, passes: 22 }]),
  });
  planSamplesCommand({ target: '0.85' }, io);
  expect(io.lines).toContain('  33 of 34 passed (1 failed)');
  for (const target of ['85', '0', '', 'x']) expect(() => planSamplesCommand({ target }, io)).toThrow(/--target/);
});
