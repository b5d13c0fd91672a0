import { utimes } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileTools, type FileToolsOptions } from '../../../src/adapters/file-tools/file-tools.ts';
import { HarnessError } from '../../../src/errors.ts';
import { makeRunFolder, type RunFolder } from '../../support/run-folder.ts';

const signal = new AbortController().signal;

let run: RunFolder;
beforeEach(async () => {
  run = await makeRunFolder();
});
afterEach(() => run.remove());

async function ask(name: 'glob' | 'grep', input: Record<string, unknown>, more: Partial<FileToolsOptions> = {}) {
  const host = createFileTools({ mounts: run.mounts, maxResultChars: 20_000, ...more });
  return host.call(name, input, signal);
}
const linesOf = async (...input: Parameters<typeof ask>) => (await ask(...input)).content.split('\n');

const ALL = [
  'design/r1/business_rules.yaml',
  'design/r1/format_spec.yaml',
  'execution_outputs/iteration_1/tools/a.mjs',
  'execution_outputs/iteration_1/traces/s1.1.jsonl',
  'execution_outputs/iteration_2/tools/b.mjs',
  'scenario/brief.md',
];

describe('glob', () => {
  test('without a path, or with ".", looks in all mounts and sorts by name', async () => {
    expect(await linesOf('glob', { pattern: '**' })).toEqual(ALL);
    expect(await linesOf('glob', { pattern: '**/*', path: '.' })).toEqual(ALL);
    expect(await linesOf('glob', { pattern: 'design/*/*.yaml' })).toEqual(ALL.slice(0, 2));
  });

  test('under a path, the pattern is relative to it; the path may stand above several mounts', async () => {
    expect(await linesOf('glob', { pattern: '*.yaml', path: 'design/r1/' })).toEqual(ALL.slice(0, 2));
    expect(await linesOf('glob', { pattern: '*/tools/*.mjs', path: 'execution_outputs' })).toEqual([ALL[2], ALL[4]]);
    expect(await linesOf('glob', { pattern: 'tools/*', path: 'execution_outputs/iteration_1' })).toEqual([ALL[2]]);
    expect(await linesOf('glob', { pattern: '*.md', path: 'scenario/brief.md' })).toEqual(['scenario/brief.md']);
  });

  test('says when nothing fits, and how to look deeper', async () => {
    expect(await ask('glob', { pattern: '*.mjs' })).toEqual({
      content: expect.stringMatching(/^no matches .*\*\*\/\*\.mjs/),
      is_error: false,
    });
    expect(await ask('glob', { pattern: 'x/*' })).toEqual({ content: 'no matches', is_error: false });
    expect(await ask('glob', { pattern: '*', path: 'design/r1/none' })).toEqual({
      content: 'no files under "design/r1/none"',
      is_error: false,
    });
  });

  test('does not depend on when files were changed', async () => {
    const before = await ask('glob', { pattern: '**' });
    await utimes(run.at('run/design/r1/format_spec.yaml'), new Date(0), new Date(0));
    await utimes(run.at('scenario/brief.md'), new Date(9e12), new Date(9e12));
    expect(await ask('glob', { pattern: '**' })).toEqual(before);
  });

  test('leaves out writes under way, node_modules, and names that would forge a line', async () => {
    for (const name of ['.tmp-1-2', 'node_modules/x.js', '.git/config', 'forged\nscenario/secret.md']) {
      await run.put(`run/design/r1/${name}`, 'x');
    }
    expect(await linesOf('glob', { pattern: '**' })).toEqual(ALL);
  });

  test('counts what it does not show (S3.9)', async () => {
    for (let index = 100; index < 200; index += 1) await run.put(`run/design/r1/many/${index}.txt`, 'x');
    const { content } = await ask('glob', { pattern: '**/*.txt' }, { maxResultChars: 1_200 });
    expect(content.length).toBeLessThanOrEqual(1_200);
    const lines = content.split('\n');
    expect(lines.at(-1)).toBe(`[cut: ${lines.length - 1} of 100 matches shown. Narrow the pattern or the path.]`);
    expect(lines[0]).toBe('design/r1/many/100.txt');
  });

  test.each(['/etc/*', '../**', 'design/../../*', '{a,..}/*', '..'])('refuses the pattern %s', async (pattern) => {
    expect(await ask('glob', { pattern })).toMatchObject({ is_error: true });
  });
});

describe('grep', () => {
  test('gives path, line number and line, sorted by path', async () => {
    expect(await linesOf('grep', { pattern: 'R\\d|export' })).toEqual([
      'design/r1/business_rules.yaml:2:  - id: R1',
      'design/r1/business_rules.yaml:3:  - id: R2',
      'execution_outputs/iteration_1/tools/a.mjs:1:export const a = 1;',
      'execution_outputs/iteration_2/tools/b.mjs:1:export const b = 2;',
    ]);
  });

  test('searches a folder, a folder above mounts, or one file', async () => {
    expect(await linesOf('grep', { pattern: 'const', path: 'execution_outputs' })).toHaveLength(2);
    expect(await linesOf('grep', { pattern: 'const', path: 'execution_outputs/iteration_2' })).toEqual([
      'execution_outputs/iteration_2/tools/b.mjs:1:export const b = 2;',
    ]);
    expect(await linesOf('grep', { pattern: 'R2', path: 'design/r1/business_rules.yaml' })).toEqual([
      'design/r1/business_rules.yaml:3:  - id: R2',
    ]);
    expect(await ask('grep', { pattern: 'THE SECRET' })).toEqual({ content: 'no matches', is_error: false });
  });

  test('finds what stands in a long line of a trace, and shows the part around it', async () => {
    const [line] = await linesOf('grep', { pattern: 'order 78' });
    expect(line).toMatch(/^execution_outputs\/iteration_1\/traces\/s1\.1\.jsonl:2:…x+ order 78 y+…$/);
    expect(line?.length).toBeLessThan(800);
  });

  test('passes over files that are no text, and names those that are too large', async () => {
    await run.put('run/design/r1/a.bin', 'R1\0');
    await run.put('run/design/r1/huge.txt', 'R1 '.repeat(1_500_000));
    const { content } = await ask('grep', { pattern: 'R1', path: 'design' });
    expect(content).toBe(
      'design/r1/business_rules.yaml:2:  - id: R1\n[not searched, too large: 1 files, first design/r1/huge.txt (4500000 bytes)]',
    );
  });

  test('counts what it does not show (S3.9)', async () => {
    await run.put('run/design/r1/many.txt', 'hit\n'.repeat(3_000));
    const { content } = await ask('grep', { pattern: '^hit$' }, { maxResultChars: 1_500 });
    expect(content.length).toBeLessThanOrEqual(1_500);
    expect(content).toMatch(/\[cut: \d+ of 3000 matches shown\. /);
  });
});

describe('a pattern that the model wrote', () => {
  test.each([
    ['grep', '^(a+)+$'],
    ['glob', '**/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'],
  ] as const)('that never ends is ended: %s %s', async (name, pattern) => {
    await run.put(`run/design/r1/${'a'.repeat(200)}`, `${'a'.repeat(60)}!\n`);
    expect(await ask(name, { pattern }, { searchMs: 250 })).toEqual({
      content: `${name}: stopped after 0.25 s. Use a simpler pattern or a narrower path.`,
      is_error: true,
    });
  });

  test('that unfolds without end is ended', async () => {
    const answer = await ask('glob', { pattern: '{a,b}'.repeat(60) }, { searchMs: 300 });
    expect(answer.is_error || answer.content.startsWith('no matches')).toBe(true);
  });

  test.each([
    ['grep', '('],
    ['grep', '('.repeat(600)],
    ['grep', 'a'.repeat(1_001)],
  ] as const)('that cannot be used is an answer: %s %.20s', async (name, pattern) => {
    expect(await ask(name, { pattern })).toMatchObject({ is_error: true });
  });

  test('is dropped on an abort, with its reason', async () => {
    await run.put('run/design/r1/a', `${'a'.repeat(60)}!\n`);
    const host = createFileTools({ mounts: run.mounts, maxResultChars: 1_000 });
    const controller = new AbortController();
    const asked = host.call('grep', { pattern: '^(a+)+$' }, controller.signal);
    const reason = new HarnessError('attempt_lost', 'another worker took over');
    setTimeout(() => controller.abort(reason), 60);
    await expect(asked).rejects.toBe(reason);
  });
});
