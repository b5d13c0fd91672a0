import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { betaAgentToolset20260401 } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileTools, type FileToolsOptions } from '../../../src/adapters/file-tools/file-tools.ts';
import type { ToolHost } from '../../../src/ports/tools/tool-host.ts';
import { toolHostContract } from '../../contracts/tool-host.contract.ts';
import { makeRunFolder, type RunFolder } from '../../support/run-folder.ts';
import { gifOf, jpegOf, paddedPng, pngOf, webpOf } from '../../support/images.ts';

const signal = new AbortController().signal;
const MINE = 'execution_outputs/iteration_2';

let run: RunFolder;
let tools: ToolHost;
const toolsWith = (more: Partial<FileToolsOptions> = {}) =>
  createFileTools({ mounts: run.mounts, maxResultChars: 20_000, ...more });
const call = (name: string, input: Record<string, unknown>, host = tools) => host.call(name, input, signal);
const answer = (content: string) => ({ content, is_error: false });
/** An answer with `is_error` that holds all of these. */
const refusal = (...parts: string[]) => ({
  content: expect.toSatisfy((content: string) => parts.every((part) => content.includes(part)), parts.join(' … ')),
  is_error: true,
});

beforeEach(async () => {
  run = await makeRunFolder();
  tools = toolsWith();
});
afterEach(() => run.remove());

toolHostContract('the file tools', async () => ({
  host: tools,
  good: { name: 'grep', input: { pattern: 'R\\d' } },
  bad: [
    { name: 'read', input: {} },
    { name: 'read', input: { file_path: 7 } },
    { name: 'read', input: { path: 'design/r1/format_spec.yaml' } },
    { name: 'read', input: { file_path: 'design/r1/none.yaml' } },
    { name: 'read', input: { file_path: 'design/r1' } },
    { name: 'read', input: { file_path: 'design/r1/format_spec.yaml', view_range: [3, 1] } },
    { name: 'write', input: { file_path: `${MINE}/a.txt` } },
    { name: 'edit', input: { file_path: `${MINE}/tools/b.mjs`, old_string: 'not there', new_string: 'x' } },
    { name: 'glob', input: { pattern: '/etc/*' } },
    { name: 'grep', input: { pattern: '(' } },
  ],
}));

test('names and inputs are those of the vendor’s agent toolset, without bash, with remove and rename', () => {
  const shape = (name: string, schema: Readonly<Record<string, unknown>>) => ({
    name,
    properties: Object.keys(Object(schema['properties'])),
    required: schema['required'],
  });
  const theirs = betaAgentToolset20260401({ workdir: run.root }).flatMap((tool) =>
    'input_schema' in tool && tool.name !== 'bash' ? [shape(tool.name, { ...tool.input_schema })] : [],
  );
  const ours = tools.definitions.filter(({ name }) => !['remove', 'rename'].includes(name));
  expect(ours.map((tool) => shape(tool.name, tool.input_schema))).toEqual(theirs);
  for (const { description } of tools.definitions) expect(description).toContain('relative to the run');
});

describe('read', () => {
  test('gives the file as it is, under its logical name', async () => {
    expect(await call('read', { file_path: 'design/r1/business_rules.yaml' })).toEqual(
      answer('rules:\n  - id: R1\n  - id: R2\n'),
    );
    expect(await call('read', { file_path: './design//r1/format_spec.yaml' })).toEqual(answer('version: 1\n'));
    expect(await call('read', { file_path: `${MINE}/tools/b.mjs` })).toEqual(answer('export const b = 2;\n'));
  });

  test('a mount may be a single file, and nothing beside it is seen', async () => {
    expect(await call('read', { file_path: 'scenario/brief.md' })).toEqual(answer('# Refund desk\n'));
    expect(await call('read', { file_path: 'scenario/simulation/execute.yaml' })).toEqual(refusal('not yours to see'));
  });

  test('gives the lines that are asked for', async () => {
    const file_path = 'design/r1/business_rules.yaml';
    expect(await call('read', { file_path, view_range: [2, 2] })).toEqual(answer('  - id: R1'));
    expect(await call('read', { file_path, view_range: [3, -1] })).toEqual(answer('  - id: R2\n'));
    expect(await call('read', { file_path, view_range: [50, 60] })).toEqual(answer('(there are no such lines)'));
  });

  test('an empty file is said to be empty; a file that is no text is refused', async () => {
    await run.put('run/design/r1/empty.md', '');
    await run.put('run/design/r1/data.bin', 'a\0b');
    expect(await call('read', { file_path: 'design/r1/empty.md' })).toEqual(answer('(the file is empty)'));
    expect(await call('read', { file_path: 'design/r1/data.bin' })).toEqual(refusal('not a text file'));
  });

  test('a long file is cut after a line, with its size and where to read on (S3.9)', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1}\n`);
    await run.put('run/design/r1/long.md', lines.join(''));
    const host = toolsWith({ maxResultChars: 1_000 });
    const file_path = 'design/r1/long.md';
    const { content } = await call('read', { file_path }, host);
    expect(content.length).toBeLessThanOrEqual(1_000);
    const [, shown, total, next] =
      /\[cut: (\d+) of (\d+) characters shown\. Read on with view_range \[(\d+), …\]\.\]$/.exec(content) ?? [];
    expect(Number(total)).toBe(lines.join('').length);
    expect(content.slice(0, Number(shown))).toBe(lines.slice(0, Number(next) - 1).join(''));
    const after = await call('read', { file_path, view_range: [Number(next), Number(next)] }, host);
    expect(after).toEqual(answer(`line ${next}`));
    const later = await call('read', { file_path, view_range: [101, -1] }, host);
    expect(later.content).toMatch(/^line 101\n/);
    expect(Number(/view_range \[(\d+)/.exec(later.content)?.[1])).toBeGreaterThan(101);
  });
});

describe('write and edit', () => {
  test('change a file of the agent’s own folder, and name it logically', async () => {
    expect(await call('write', { file_path: `${MINE}/samples/s-1.json`, content: '{"é":1}' })).toEqual(
      answer(`wrote 8 bytes to ${MINE}/samples/s-1.json`),
    );
    expect(await readFile(run.at('run/wip/execute.i2@w/out/samples/s-1.json'), 'utf8')).toBe('{"é":1}');
    const change = { file_path: `${MINE}/samples/s-1.json`, old_string: '1', new_string: '$&2' };
    expect(await call('edit', change)).toEqual(answer(`edited ${MINE}/samples/s-1.json (1 replacement(s))`));
    expect(await call('read', { file_path: change.file_path })).toEqual(answer('{"é":$&2}'));
  });

  test('work in a folder that does not exist yet', async () => {
    await rm(run.at('run/wip/execute.i2@w/out'), { recursive: true });
    expect(await call('write', { file_path: `${MINE}/a.txt`, content: 'x' })).toMatchObject({ is_error: false });
    expect(await call('read', { file_path: `${MINE}/a.txt` })).toEqual(answer('x'));
  });

  test('are refused in the folder of another, saying whose it is', async () => {
    const file_path = 'design/r1/format_spec.yaml';
    expect(await call('write', { file_path, content: 'x' })).toEqual(
      refusal('write: ', 'read-only: the design belongs to Init', `${MINE} (yours to write)`),
    );
    expect(await call('edit', { file_path, old_string: '1', new_string: '2' })).toEqual(refusal('edit: ', 'read-only'));
    expect(await call('write', { file_path: 'execution_outputs/iteration_1/x', content: '' })).toEqual(
      refusal('execution_outputs/iteration_1 is another'),
    );
    expect(await readFile(run.at('run/design/r1/format_spec.yaml'), 'utf8')).toBe('version: 1\n');
  });

  test('are refused where a read-only folder lies inside a writable one on disk', async () => {
    const host = createFileTools({
      maxResultChars: 5_000,
      mounts: [
        { logical: 'all', physical: run.at('run'), writable: true },
        { logical: 'design/r1', physical: run.at('run/design/r1'), writable: false },
      ],
    });
    expect(await call('write', { file_path: 'all/design/r1/x.md', content: '' }, host)).toEqual(refusal('read-only'));
    expect(await call('write', { file_path: 'all/design/r2/x.md', content: '' }, host)).toMatchObject({
      is_error: false,
    });
  });

  test('a complaint of the vendor’s tool names the logical file and no path of this machine', async () => {
    for (const [name, input, says] of [
      ['read', { file_path: 'design/r1/none.yaml' }, 'read: design/r1/none.yaml: no such file or directory'],
      ['read', { file_path: 'design/r1/format_spec.yaml/x' }, 'read: design/r1/format_spec.yaml/x: not a directory'],
      [
        'edit',
        { file_path: `${MINE}/tools/b.mjs`, old_string: 'nowhere', new_string: '' },
        `edit: old_string not found in ${MINE}/tools/b.mjs`,
      ],
      ['write', { file_path: `${MINE}/tools/b.mjs/x`, content: '' }, `write: ${MINE}/tools/b.mjs/x: `],
      ['write', { file_path: `${MINE}/tools`, content: '' }, `write: ${MINE}/tools: is a directory`],
    ] as const) {
      const { content, is_error } = await call(name, input);
      expect(is_error).toBe(true);
      expect(content.startsWith(says), content).toBe(true);
      expect(content).not.toContain(run.root);
    }
  });
});

describe('remove and rename', () => {
  const own = (name: string) => run.at(`run/wip/execute.i2@w/out/${name}`);

  test('remove takes a file of the agent’s own folder away, and the folder with its last file', async () => {
    await call('write', { file_path: `${MINE}/samples/old/s-1.json`, content: '{}' });
    expect(await call('remove', { file_path: `${MINE}/samples/old/s-1.json` })).toEqual(
      answer(`removed ${MINE}/samples/old/s-1.json`),
    );
    await expect(readFile(own('samples/old/s-1.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readdir(own('samples'))).rejects.toMatchObject({ code: 'ENOENT' });
    await call('remove', { file_path: `${MINE}/tools/b.mjs` });
    expect(await readdir(own(''))).not.toContain('tools');
  });

  test('rename moves a file to a path that is not taken, and makes its folders', async () => {
    expect(await call('rename', { file_path: `${MINE}/tools/b.mjs`, new_path: `${MINE}/tools/new/c.mjs` })).toEqual(
      answer(`renamed ${MINE}/tools/b.mjs to ${MINE}/tools/new/c.mjs`),
    );
    expect(await readFile(own('tools/new/c.mjs'), 'utf8')).toBe('export const b = 2;\n');
    await call('write', { file_path: `${MINE}/tools/d.mjs`, content: 'd' });
    const taken = { file_path: `${MINE}/tools/d.mjs`, new_path: `${MINE}/tools/new/c.mjs` };
    expect(await call('rename', taken)).toEqual(refusal('rename: ', 'is taken: remove it first'));
    expect(await readFile(own('tools/new/c.mjs'), 'utf8')).toBe('export const b = 2;\n');
  });

  test.each([
    ['remove', { file_path: 'design/r1/format_spec.yaml' }, 'read-only: the design belongs to Init'],
    ['remove', { file_path: 'execution_outputs/iteration_1/tools/a.mjs' }, 'read-only'],
    ['remove', { file_path: `${MINE}/none.mjs` }, 'does not exist'],
    ['remove', { file_path: `${MINE}/tools` }, 'is a folder: name a file in it'],
    ['remove', { file_path: MINE }, 'is a folder'],
    ['remove', { file_path: '../outside.txt' }, 'holds ".."'],
    ['remove', { file_path: '/etc/passwd' }, 'absolute path'],
    ['rename', { file_path: 'design/r1/format_spec.yaml', new_path: `${MINE}/x.yaml` }, 'read-only'],
    ['rename', { file_path: `${MINE}/tools/b.mjs`, new_path: 'design/r1/b.mjs' }, 'read-only'],
    ['rename', { file_path: `${MINE}/tools/b.mjs`, new_path: `${MINE}/../b.mjs` }, 'holds ".."'],
    ['rename', { file_path: `${MINE}/tools/b.mjs`, new_path: MINE }, 'is taken'],
  ])('%s %j is refused, and nothing is lost', async (name, input, says) => {
    expect(await call(name, input)).toEqual(refusal(`${name}: `, says));
    expect(await readFile(own('tools/b.mjs'), 'utf8')).toBe('export const b = 2;\n');
    expect(await readFile(run.at('run/design/r1/format_spec.yaml'), 'utf8')).toBe('version: 1\n');
  });

  test('a link that leads out of the own folder is not followed', async () => {
    await symlink(run.at('run/design/r1'), own('tools/way-out'));
    expect(await call('remove', { file_path: `${MINE}/tools/way-out/format_spec.yaml` })).toMatchObject({
      is_error: true,
    });
    expect(await readFile(run.at('run/design/r1/format_spec.yaml'), 'utf8')).toBe('version: 1\n');
  });
});

test('the mount with the longest name decides, wherever it lies', async () => {
  const host = createFileTools({
    maxResultChars: 5_000,
    mounts: [
      { logical: 'execution_outputs', physical: run.at('run/execution_outputs'), writable: false },
      {
        logical: 'execution_outputs/iteration_1/tools',
        physical: run.at('run/wip/execute.i2@w/out/tools'),
        writable: true,
      },
    ],
  });
  expect(await call('read', { file_path: 'execution_outputs/iteration_1/tools/b.mjs' }, host)).toMatchObject({
    is_error: false,
  });
  expect(await call('read', { file_path: 'execution_outputs/iteration_1/tools/a.mjs' }, host)).toMatchObject({
    is_error: true,
  });
  const listed = await call('glob', { pattern: '**' }, host);
  expect(listed.content.split('\n')).toEqual([
    'execution_outputs/iteration_1/tools/b.mjs',
    'execution_outputs/iteration_1/traces/s1.1.jsonl',
  ]);
});

test.each([{ logical: '/abs' }, { logical: 'a/../b' }, { logical: 'a//b' }, { physical: 'not/absolute' }])(
  'a mount that cannot be meant is refused: %j',
  (wrong) => {
    expect(() => toolsWith({ mounts: [{ logical: 'a', physical: '/a', writable: false, ...wrong }] })).toThrow(
      expect.objectContaining({ code: 'infrastructure' }),
    );
  },
);

test('a folder that another worker took over is not made again by a write', async () => {
  const out = run.mounts.find(({ logical }) => logical === MINE)?.physical ?? '';
  await rename(dirname(out), `${dirname(out)}-taken`);
  await expect(call('write', { file_path: `${MINE}/tools/a.mjs`, content: 'x' })).rejects.toMatchObject({
    code: 'attempt_lost',
  });
  await expect(readdir(dirname(out))).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('images (S3.10)', () => {
  const pictures: [string, string, Buffer][] = [
    ['image/png', 'png', pngOf(3, 3)],
    ['image/jpeg', 'txt', jpegOf(3, 3)],
    ['image/gif', 'gif', gifOf(3, 3)],
    ['image/webp', 'bin', webpOf(3, 3, 'VP8X')],
  ];

  test.each(pictures)('read shows %s, whatever the file is called (.%s)', async (media_type, ending, bytes) => {
    await run.put(`run/wip/execute.i2@w/out/a.${ending}`, bytes);
    expect(await call('read', { file_path: `${MINE}/a.${ending}` })).toEqual({
      content: `"${MINE}/a.${ending}": ${media_type}, ${bytes.length} bytes`,
      is_error: false,
      images: [{ type: 'image', source: { type: 'base64', media_type, data: bytes.toString('base64') } }],
    });
  });

  test.each([
    ['too large', paddedPng(7_500_000), '7500'],
    ['too wide', pngOf(8001, 1), '8001 × 1 pixels, at most 8000'],
    ['cut off', pngOf(30, 30).subarray(0, 60), 'is cut off'],
  ])('one that is %s for the API is refused with its reason', async (_, bytes, says) => {
    await run.put(`run/wip/execute.i2@w/out/a.png`, bytes);
    expect(await call('read', { file_path: `${MINE}/a.png` })).toEqual(refusal('a.png', says));
  });
});

test('files and folders of agents have the modes of all others, as the umask says', async () => {
  await call('write', { file_path: `${MINE}/samples/worlds/new.json`, content: 'x' });
  await call('edit', { file_path: `${MINE}/samples/worlds/new.json`, old_string: 'x', new_string: 'y' });
  const own = run.mounts.find(({ logical }) => logical === MINE)?.physical ?? '';
  const mode = async (path: string) => (await stat(join(own, path))).mode & 0o777;
  await writeFile(join(own, 'plain.json'), '');
  await mkdir(join(own, 'plain'));
  expect(await mode('samples/worlds/new.json')).toBe(await mode('plain.json'));
  for (const folder of ['samples', 'samples/worlds']) expect(await mode(folder)).toBe(await mode('plain'));
});
