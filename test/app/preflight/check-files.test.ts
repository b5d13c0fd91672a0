/** Before a run: all that is wrong in its files and in what they name, at once, and nothing written. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFiles } from '../../../src/app/preflight/check-run.ts';
import { findHome } from '../../../src/config/home.ts';
import { pngOf } from '../../support/images.ts';
import { scratch } from '../../support/scratch.ts';

const HEAD = 'version: 1\nname: desk\ntitle: Desk\nreads: [brief.md]\n';

type Around = {
  env?: Record<string, string>;
  brief?: string;
  outputs?: Record<string, string>;
  files?: Record<string, string | Buffer>;
};

async function check(scenario: string, { env = {}, brief = 'x'.repeat(200), outputs = {}, files = {} }: Around = {}) {
  const project = await scratch();
  const dir = join(project, 'scenarios/desk');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'scenario.yaml'), scenario);
  await writeFile(join(dir, 'brief.md'), brief);
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  const { findings } = await checkFiles({ home: findHome(project), name: 'desk', config: {}, env, outputs });
  expect(await readdir(dir)).toEqual([...Object.keys(files), 'brief.md', 'scenario.yaml'].sort());
  return findings.map(({ level, where, what }) => `${level} ${where.replace('scenarios/desk/', '')} ${what}`);
}

test('a scenario that can be run has no findings', async () => {
  expect(await check(`${HEAD}samples: { min: 3, categories: [a] }\nsubject: { model: m }\n`)).toEqual([]);
});

test('every fault is named with its line', async () => {
  const scenario = `${HEAD}samples:\n  min: 3\n  categories: [a, b, a]\nsubject:\n  kind: command\n  command: [./agent.sh]\n  env: [AGENT_KEY]\n`;
  const project = await scratch();
  await writeFile(join(project, 'file'), '');
  const outputs = { '--junit': join(project, 'file/junit.xml'), '--record': join(project, 'fine') };
  expect(await check(scenario, { brief: ' \n', outputs })).toEqual([
    'error scenario.yaml:4 brief.md is empty.',
    'error scenario.yaml:7 the category a is named twice.',
    'error scenario.yaml:10 there is no program ./agent.sh that could be started.',
    'warning scenario.yaml:11 the environment has no variable AGENT_KEY.',
    `error --junit ${join(project, 'file')} is no folder.`,
  ]);
});

test('the plugin of a subject is looked for before anything is paid, and one of a grader is refused', async () => {
  const rest = 'samples: { min: 3, categories: [a] }\nsubject:\n  kind: plugin\n  plugin: clrk\n';
  expect(await check(`${HEAD}${rest}graders: { model: 'plugin:panel' }\n`)).toEqual([
    'error scenario.yaml:8 subject.plugin: no plugin subjects.clrk in tandem.config.ts. There are: none.',
    expect.stringMatching(
      /^error scenario\.yaml:9 "plugin:panel": plugins in the place of a grader's model were removed/,
    ),
  ]);
});

test('a variable that a server of tools needs', async () => {
  const server = '    - { name: stock, command: [x], env: [STOCK_KEY], reset: { tool: a }, state: { tool: b } }\n';
  const scenario = `${HEAD}samples: { min: 3, categories: [a] }\nsubject: { model: m }\ntools:\n  mcp:\n${server}`;
  expect(await check(scenario)).toEqual([
    'error scenario.yaml:9 the server of tools "stock" needs the variable STOCK_KEY, and the environment has none.',
  ]);
});

test('a source that is empty, whatever marks it holds, and one that is no text, each with its line', async () => {
  const scenario = `${HEAD.replace('[brief.md]', '[brief.md, a.md, b.md, c.csv]')}samples: { min: 3, categories: [a] }\nsubject: { model: m }\n`;
  const files = (c: Buffer) => ({ 'a.md': '', 'b.md': '\uFEFF\r\n', 'c.csv': c });
  const empty = ['a.md', 'b.md'].map((name) => `warning scenario.yaml:4 ${name} is empty.`);
  expect(await check(scenario, { files: files(Buffer.from('Größe', 'utf16le')) })).toEqual([
    expect.stringMatching(/^error scenario\.yaml:4 reads: "c\.csv" is neither an image .* Save it as UTF-8/),
    ...empty,
  ]);
  expect(await check(scenario, { files: files(Buffer.from('\uFEFFGröße', 'utf16le')) })).toEqual(empty);
});

test('a script of the subject that is not there, behind the options of its interpreter', async () => {
  const withCommand = (command: string) =>
    `${HEAD}samples: { min: 3, categories: [a] }\nsubject:\n  kind: command\n  command: ${command}\n`;
  const env = { PATH: '/bin:/usr/bin' };
  expect(await check(withCommand('[sh, -e, bin/agent.sh]'), { env })).toEqual([
    "warning scenario.yaml:8 there is no file bin/agent.sh in the scenario's folder, where the command is started.",
  ]);
  expect(await check(withCommand('[sh, agent.sh]'), { env, files: { 'agent.sh': 'cat' } })).toEqual([]);
  expect(await check(withCommand('[sh, run, agent.sh]'), { env })).toEqual([]);
});

test('a program of the PATH, and one that is there', async () => {
  const scenario = `${HEAD}samples: { min: 3, categories: [a] }\nsubject: { kind: command, command: [sh, -c, cat] }\n`;
  expect(await check(scenario, { env: { PATH: '/nowhere:/bin:/usr/bin' } })).toEqual([]);
  expect(await check(scenario, { env: { PATH: '/nowhere' } })).toHaveLength(1);
});

test('an endpoint that does not answer, and its missing key', async () => {
  const subject = 'subject:\n  kind: http\n  url: http://127.0.0.1:9/\n  headers: { authorization: DESK_KEY }\n';
  const found = await check(`${HEAD}samples: { min: 3, categories: [a] }\n${subject}`);
  expect(found[0]).toBe('error scenario.yaml:9 the environment has no variable DESK_KEY.');
  expect(found[1]).toMatch(/^error scenario\.yaml:8 http:\/\/127\.0\.0\.1:9\/ does not answer: /);
});

test('a Chat Completions endpoint is looked for, too, and a key in the place of its variable is not shown', async () => {
  const at = (key: string) =>
    check(
      `${HEAD}samples: { min: 3, categories: [a] }\nsubject:\n  kind: openai\n  model: m\n  base_url: http://127.0.0.1:9/v1\n  key: ${key}\n`,
    );
  const silent = expect.stringMatching(/^error scenario\.yaml:9 http:\/\/127\.0\.0\.1:9\/v1 does not answer: /);
  expect(await at('DESK_KEY')).toEqual(['error scenario.yaml:10 the environment has no variable DESK_KEY.', silent]);
  expect(await at('sk-secret')).toEqual(['error scenario.yaml:10 this is no name of an environment variable.', silent]);
});

test('numbers, lists and addresses of another shape are named with what would do', async () => {
  const scenario = `${HEAD}target: 85\nbudget_usd: 5 dollars\nsamples: { min: 3, categories: [a] }\nsubject:\n  kind: command\n  command: python3 agent.py\n`;
  expect(await check(scenario)).toEqual([
    'error scenario.yaml:5 target: expected a number above 0 and up to 1: 85 % is written 0.85; it is 85',
    'error scenario.yaml:10 subject.command: expected a list, such as [python3, agent.py]',
    'error scenario.yaml:6 budget_usd: expected US dollars, a number above 0, such as 5; it is "5 dollars"',
  ]);
});

test('a proxy is trusted to reach what is elsewhere, and nothing on this machine', async () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128' };
  const at = (url: string, more: object) =>
    check(`${HEAD}samples: { min: 3, categories: [a] }\nsubject:\n  kind: http\n  url: ${url}\n`, more);
  expect(await at('http://desk.invalid/', { env })).toEqual([]);
  expect(await at('http://127.0.0.1:9/', { env })).toHaveLength(1);
  expect(await at('http://127.0.0.1:9/', { env: { https_proxy: '' } })).toHaveLength(1);
});

test('recorded traces that are not there', async () => {
  const subject = 'subject:\n  kind: recorded\n  traces: traces\n';
  expect(await check(`${HEAD}samples: { min: 3, categories: [a] }\n${subject}`)).toEqual([
    'error scenario.yaml:8 traces holds no recorded trace.',
  ]);
});

test('sources that are not there are all named; a YAML fault stands beside a place that cannot be written', async () => {
  const [reads, rest] = [
    'reads:\n  - brief.md\n  - a.md\n  - b.md\n',
    'samples: { min: 3, categories: [a] }\nsubject: { model: m }\n',
  ];
  expect(await check(`${HEAD.replace('reads: [brief.md]\n', reads)}${rest}`)).toEqual([
    `error scenario.yaml:6 reads: "a.md" is not a file inside the scenario's folder. Name each file by itself, as in policies/returns.md.`,
    `error scenario.yaml:7 reads: "b.md" is not a file inside the scenario's folder. Name each file by itself, as in policies/returns.md.`,
  ]);
  const found = await check(`${HEAD}sample: 3\n`, { outputs: { '--junit': '/proc/nowhere/junit.xml' } });
  expect(found).toContain('error scenario.yaml:5 sample: no such key. Did you mean "samples"?');
  expect(found.at(-1)).toBe('error --junit /proc is no place for files.');
});

test('an image that no model takes is found by its bytes, each with its line', async () => {
  const names = ['large.png', 'cut.png', 'fine.png'];
  const scenario = `${HEAD.replace('[brief.md]', `[brief.md, ${names.join(', ')}]`)}samples: { min: 3, categories: [a] }\nsubject: { model: m }\n`;
  const files = {
    'large.png': pngOf(9000, 1),
    'cut.png': pngOf(30, 30).subarray(0, 60),
    'fine.png': pngOf(30, 30),
  };
  expect(await check(scenario, { files })).toEqual([
    expect.stringMatching(/^error scenario\.yaml:4 reads: "large\.png" has 9000 × 1 pixels, at most 8000/),
    expect.stringMatching(/^error scenario\.yaml:4 reads: "cut\.png" is cut off: .* No model takes it/),
  ]);
});
