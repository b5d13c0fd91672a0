/** Script files: what is read from a simulation folder, and how a broken one is named. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadScripts } from '../../../../src/adapters/simulated/scripts/load-scripts.ts';
import { ask, carryOn, post, user, withSimulator } from '../wire.ts';

const HEAD = 'version: 1\nwho: execute\nmatch: { system_includes: tester }\n';
const turn = (calls: string): string =>
  `${HEAD}turns:\n  - name: t\n    marker: go\n    steps:\n      - calls:\n          - ${calls}\n`;
const FROM_FILE = turn('{ tool: write, input: { file_path: out }, content_file: files/a.txt }');

let dir: string;
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-scripts-')));
  dir = join(root, 'simulation');
  mkdirSync(join(dir, 'files'), { recursive: true });
  writeFileSync(join(dir, 'files/a.txt'), 'one');
  writeFileSync(join(root, 'outside.txt'), 'secret');
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (text: string, name = 's.yaml'): void => writeFileSync(join(dir, name), text);

describe('a script file', () => {
  test('is read with its defaults; files are taken by name, and only YAML', () => {
    put(`${HEAD}faults: [{ at: 3, kind: 529 }]`, 'b.yml');
    put(FROM_FILE, 'a.yaml');
    put('not a script', 'notes.txt');
    expect(loadScripts(dir).map(({ turns, faults }) => [turns.length, faults])).toEqual([
      [1, []],
      [0, [{ at: 3, kind: '529' }]],
    ]);
  });

  test('is no pipe, which would keep the process waiting', () => {
    execFileSync('mkfifo', [join(dir, 'p.yaml')]);
    expect(() => loadScripts(dir)).toThrow(/p\.yaml, line 1: it is not a file\./);
  });

  test.each([
    ['broken YAML', `${HEAD}turns: [\n`, 5, /Flow sequence/],
    ['an unknown field', `${HEAD}turn: []\n`, 4, /Unrecognized key: "turn"/],
    ['a wrong version', HEAD.replace('1', '2'), 1, /version: Invalid input/],
    [
      'a step without content',
      `${HEAD}turns:\n  - name: t\n    marker: go\n    steps:\n      - think: x\n`,
      8,
      /turns\.0\.steps\.0: a step needs `say`/,
    ],
    ['an unknown fault', `${HEAD}faults:\n  - { at: 1, kind: 529 }\n  - { at: 1, kind: 418 }\n`, 6, /faults\.1/],
    [
      'a path that leads out',
      turn('{ tool: write, content_file: ../outside.txt }'),
      9,
      /lies outside of the simulation folder/,
    ],
    ['an absolute path', turn('{ tool: write, content_file: /etc/hostname }'), 9, /cannot be read/],
    ['a missing content file', turn('{ tool: write, content_file: files/b.txt }'), 9, /files\/b\.txt cannot be read/],
    ['a folder as content', turn('{ tool: write, content_file: files }'), 9, /files is not a file/],
    ['an alias that nobody set', `${HEAD}turns: *x\n`, 4, /x/],
  ])('with %s is refused with file, line and remedy', (_, text, line, what) => {
    put(text);
    const attempt = (): unknown => loadScripts(dir);
    expect(attempt).toThrow(what);
    expect(attempt).toThrow(`${join(dir, 's.yaml')}, line ${line}: `);
    expect(attempt).toThrow('docs/internals/simulation.md');
    expect(attempt).toThrow(
      expect.objectContaining({ code: 'config_invalid', details: { file: join(dir, 's.yaml'), line } }),
    );
  });

  test('cannot reach outside of its folder by a symlink', () => {
    symlinkSync(join(root, 'outside.txt'), join(dir, 'files/link.txt'));
    put(turn('{ tool: write, content_file: files/link.txt }'));
    expect(() => loadScripts(dir)).toThrow('lies outside of the simulation folder');
  });

  test('is not found in a folder that is not there', () => {
    expect(() => loadScripts(join(dir, 'none'))).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});

describe('a content file', () => {
  const body = {
    model: 'claude-opus-5-5',
    max_tokens: 900,
    system: 'tester',
    tools: [{ name: 'write', input_schema: { type: 'object' } }],
    messages: [user('go')],
  };

  test('is read for each answer, so that it may change while the server runs', async () => {
    put(FROM_FILE);
    await withSimulator({ simulationDir: dir }, async (simulator) => {
      expect((await ask(simulator, body)).content[0]).toMatchObject({ input: { file_path: 'out', content: 'one' } });
      writeFileSync(join(dir, 'files/a.txt'), 'two');
      expect((await ask(simulator, body)).content[0]).toMatchObject({ input: { content: 'two' } });
    });
  });

  test('tells apart two steps that write the same file', async () => {
    writeFileSync(join(dir, 'files/b.txt'), 'two');
    put(
      `${FROM_FILE}      - calls:\n          - { tool: write, input: { file_path: out }, content_file: files/b.txt }\n      - say: Done.\n`,
    );
    await withSimulator({ simulationDir: dir }, async (simulator) => {
      const messages = [...body.messages];
      const steps: unknown[] = [];
      for (let count = 0; count < 3; count += 1) {
        messages.push(...carryOn(await ask(simulator, { ...body, messages })));
        steps.push(simulator.requests.at(-1)?.step);
      }
      expect(steps).toEqual([1, 2, 3]);
      // With the first one hidden, only the text says which of the two this is.
      await ask(simulator, { ...body, messages: [...body.messages, ...messages.slice(3, 5)] });
      expect(simulator.requests.at(-1)?.step).toBe(3);
    });
  });

  test('that became a way out while the server ran is refused', async () => {
    put(FROM_FILE);
    await withSimulator({ simulationDir: dir }, async (simulator) => {
      rmSync(join(dir, 'files/a.txt'));
      symlinkSync(join(root, 'outside.txt'), join(dir, 'files/a.txt'));
      const got = await post(simulator, body);
      expect(got.record).toMatchObject({
        status: 400,
        rule: 'script',
        refusal: expect.stringContaining('lies outside'),
      });
    });
  });
});
