import { link, readFile, symlink, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileTools } from '../../../src/adapters/file-tools/file-tools.ts';
import type { ToolHost } from '../../../src/ports/tools/tool-host.ts';
import { makeRunFolder, type RunFolder } from '../../support/run-folder.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const signal = new AbortController().signal;
const MINE = 'execution_outputs/iteration_2';

let run: RunFolder;
let tools: ToolHost;
beforeAll(async () => {
  run = await makeRunFolder();
  const mine = (name: string) => run.at(`run/wip/execute.i2@w/out/${name}`);
  await symlink(run.root, mine('dir_out'));
  await symlink(run.at('secret.txt'), mine('file_out'));
  await symlink(run.at('not_there.txt'), mine('dangling_out'));
  await symlink(run.at('run/design/r1'), mine('dir_of_init'));
  await symlink('loop', mine('loop'));
  tools = createFileTools({ mounts: run.mounts, maxResultChars: 20_000 });
});
afterAll(() => run.remove());

/** Every file tool, aimed at one path. */
const CALLS: ((path: string) => [string, Record<string, unknown>])[] = [
  (path) => ['read', { file_path: path }],
  (path) => ['write', { file_path: path, content: 'overwritten' }],
  (path) => ['edit', { file_path: path, old_string: 'THE', new_string: 'overwritten' }],
  (path) => ['glob', { pattern: '**', path }],
  (path) => ['grep', { pattern: '.', path }],
];

async function expectRefused(path: string, shownBack = false) {
  for (const make of CALLS) {
    const [name, input] = make(path);
    const answer = await tools.call(name, input, signal);
    expect(answer, `${name} ${JSON.stringify(path)}`).toMatchObject({ is_error: true });
    expect(answer.content).not.toContain('THE SECRET');
    if (!shownBack) expect(answer.content).not.toContain(run.root);
  }
}

describe('nothing outside the mounts is read, written or listed', () => {
  test.each([
    ['up and out', '../secret.txt'],
    ['up in the middle', 'design/r1/../../secret.txt'],
    ['up, and back into a mount', 'design/r1/../r1/format_spec.yaml'],
    ['up from a writable folder', `${MINE}/../turns/0001.json`],
    ['an absolute path', '/etc/passwd'],
    ['a mounted file with a slash before it', '/design/r1/format_spec.yaml'],
    ['a drive', 'C:/secret.txt'],
    ['backslashes', '..\\secret.txt'],
    ['NUL', 'design/r1/format_spec.yaml\0.md'],
    ['a line break', 'design/r1/a\nb'],
    ['a folder that was not given', 'run/design/r1/format_spec.yaml'],
    ['a name that begins like a mount', 'design/r10/business_rules.yaml'],
    ['a mount’s name in capitals', 'Design/R1/format_spec.yaml'],
    ['a neighbour of a mounted file', 'scenario/simulation/execute.yaml'],
    ['a home folder', '~/secret.txt'],
    ['a link to a folder outside', `${MINE}/dir_out/secret.txt`],
    ['a link to a folder outside, itself', `${MINE}/dir_out`],
    ['a link to a file outside', `${MINE}/file_out`],
    ['a link that dangles outside', `${MINE}/dangling_out`],
    ['a link into another mount', `${MINE}/dir_of_init/format_spec.yaml`],
    ['a link to itself', `${MINE}/loop`],
    ['a name that is too long', `${MINE}/${'n'.repeat(300)}`],
    ['a path that is too long', `${MINE}/${'n/'.repeat(600)}`],
  ])('%s', async (_title, path) => {
    await expectRefused(path);
    expect(await readFile(run.at('secret.txt'), 'utf8')).toBe('THE SECRET\n');
    await expect(readFile(run.at('not_there.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('the absolute path of a mounted file is refused too', async () => {
    await expectRefused(run.at('run/design/r1/format_spec.yaml'), true);
  });

  test('a refusal lists what is allowed', async () => {
    const { content } = await tools.call('read', { file_path: 'nowhere' }, signal);
    expect(content).toBe(
      'read: "nowhere" is not yours to see. You may use: design/r1 (read-only), execution_outputs/iteration_1 (read-only), ' +
        'execution_outputs/iteration_2 (yours to write), scenario/brief.md (read-only).',
    );
  });

  test('glob and grep follow no link, by pattern either', async () => {
    for (const pattern of ['**', `${MINE}/dir_out/*`, `${MINE}/*_out`, `${MINE}/dir_of_init/*`]) {
      const { content } = await tools.call('glob', { pattern }, signal);
      expect(content).not.toMatch(/(dir|file|dangling)_out|dir_of|secret/);
    }
    expect(await tools.call('grep', { pattern: 'THE SECRET' }, signal)).toEqual({
      content: 'no matches',
      is_error: false,
    });
  });

  test('to overwrite a hard link leaves the other name’s file as it was', async () => {
    await writeFile(run.at('kept.txt'), 'kept');
    await link(run.at('kept.txt'), run.at('run/wip/execute.i2@w/out/hard.txt'));
    await tools.call('write', { file_path: `${MINE}/hard.txt`, content: 'changed' }, signal);
    expect(await readFile(run.at('kept.txt'), 'utf8')).toBe('kept');
  });

  test('whatever the path is made of, the answer holds no secret and no path of this machine', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'design',
      'r1',
      'r10',
      'execution_outputs',
      'iteration_2',
      'dir_out',
      'file_out',
      'secret.txt',
      'wip',
      '\0',
      '~',
      'a',
    );
    const paths = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/')),
      fc.string({ unit: anyCharacter }),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        for (const make of CALLS.slice(0, 3)) {
          const [name, input] = make(path);
          const { content } = await tools.call(name, input, signal);
          expect(content).not.toMatch(/THE SECRET|another round|"paid"/);
          expect(content).not.toContain(run.root);
        }
        expect(await readFile(run.at('secret.txt'), 'utf8')).toBe('THE SECRET\n');
      }),
      propertyRuns(150),
    );
  });
});
