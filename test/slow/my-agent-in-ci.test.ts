/** docs/my-agent-in-ci.md, line by line: what lies in the repository, the baseline, and each step of the workflow as a shell runs it. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { runInNewContext } from 'node:vm';
import { COMPILED, INSTALLED, makeProject } from '../support/cli.ts';
import { Action, readYaml, type Step } from '../support/workflow.ts';

const action = readYaml('action.yml', Action);
const page = readFileSync('docs/my-agent-in-ci.md', 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);
const Job = z.object({ steps: z.array(z.object({ run: z.string().optional() })) });
const Workflow = z.object({ jobs: z.object({ evaluate: Job }) });
const steps = () => Workflow.parse(parse(blocks('yaml')[0] ?? '')).jobs.evaluate.steps.flatMap(({ run }) => run ?? []);

function sh(script: string, cwd: string, files: Record<string, string> = {}) {
  const env = {
    PATH: `${INSTALLED}:${process.env['PATH'] ?? ''}`,
    HOME: cwd,
    ...COMPILED,
    USER: 'ci',
    ...files,
  };
  return new Promise<{ code: number; output: string }>((settle) => {
    execFile(
      'bash',
      ['-euo', 'pipefail', '-c', script.replaceAll('npx tandem', 'tandem')],
      { cwd, env },
      (error, out, err) => settle({ code: error === null ? 0 : Number(error.code), output: `${out}\n${err}` }),
    );
  });
}

test('the page has plain sentences and at most 1,500 words', () => {
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(1500);
});

/** What a test of a door gives: the command itself, by its name or as the function that the program calls. */
const DOORS: Readonly<Record<string, RegExp>> = {
  '`run`': /'run'|runCommand/,
  '`evaluate`': /'evaluate'|evaluateCommand|lampsProject|judgedLamps|tandem evaluate/,
  '`compare`, `bless`': /compareCommand|blessCommand|'compare'|blocks\('sh'\)/,
  '`rejudge`': /rejudgeCommand|rejudgeOwnTraces|'rejudge'/,
  '`batch`': /'batch'/,
  '`batch --evaluate`': /evaluate: true|'--evaluate'/,
  '`mcp`': /callTool/,
  '`worker`': /'worker'/,
  '`session`, `chat`': /'session'[^]*'chat'/,
};

test('every cell of the table of doors names a test that gives the command of that door', () => {
  const [head = '', , ...rows] = readFileSync('docs/internals/doors.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const cellsIn = (row: string) =>
    row
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
  const doors = cellsIn(head);
  expect(doors).toEqual(Object.keys(DOORS));
  expect(rows.length).toBeGreaterThan(11);
  const faults = rows.flatMap((row) =>
    cellsIn(row).flatMap((cell, index) => {
      const [door = ''] = doors.slice(index);
      if (cell === '–') return [];
      const [, path = ''] = /^`([^`]+)`$/.exec(cell) ?? [];
      const file = `test/${path}.test.ts`;
      if (!existsSync(file)) return [`${door}: no ${file}`];
      return DOORS[door]?.test(readFileSync(file, 'utf8')) === true ? [] : [`${file} does not give ${door}`];
    }),
  );
  expect(faults).toEqual([]);
});

test('the repository, the baseline and the workflow work as written, and a worse agent turns the comparison red', async () => {
  const project = await makeProject();
  for (const script of blocks('sh')) {
    const ended = await sh(script, project);
    expect(ended.code, `${script}\n${ended.output}`).toBe(0);
  }
  const files = {
    GITHUB_ACTIONS: 'true',
    GITHUB_OUTPUT: join(project, 'outputs'),
    GITHUB_STEP_SUMMARY: join(project, 'summary.md'),
    GITHUB_WORKSPACE: project,
  };
  const [evaluate = '', compare = '', bless = '', ...more] = steps();
  expect(more).toEqual([]);
  for (const step of [evaluate, compare, bless]) {
    const ended = await sh(step, project, files);
    expect(ended.code, `${step}\n${ended.output}`).toBe(0);
  }
  const read = (name: string) => readFile(join(project, name), 'utf8');
  const names = (xml: string) =>
    [...xml.matchAll(/<testcase name="([^"]+)" classname="([^"]+)"/g)].map(([, name]) => name);
  const before = names(await read('junit.xml'));
  expect(before.at(-1)).toBe('target');
  expect(await read('outputs')).toMatch(/^verdict=/m);
  expect(await read('outputs')).toMatch(/^label=same$/m);
  expect(await read('summary.md')).toContain('samples passed');
  expect(JSON.parse(await read('found.sarif'))).toMatchObject({ version: '2.1.0' });
  const { rolling } = JSON.parse(await read('baseline.json')) as { rolling: { history: unknown[] } };
  expect(rolling.history).toHaveLength(2);

  // An agent that dies on everything, held against a branch with evidence.
  for (let merge = 0; merge < 3; merge += 1) await sh(bless, project);
  await writeFile(
    join(project, 'scenarios/my-desk/agent.py'),
    'import sys\nfor text in sys.stdin:\n    print(\'{"say": "No.", "done": true}\', flush=True)\n',
  );
  expect((await sh(`rm -rf now; ${evaluate}`, project, files)).code).toBe(0);
  expect((await sh(compare, project, files)).code).toBe(1);
  expect(names(await read('junit.xml'))).toEqual(before);
}, 120_000);

/** The inputs of the action with their defaults, as a job of the page gives them. */
const INPUTS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])),
  ...{ scenario: 'my-desk', evaluate: 'true', baseline: 'baseline.json', sarif: 'found.sarif', token: 'none' },
  options: '--components\ncomponents\n--trials\n3',
};

/** Whether a step is run, by its own condition. */
function isRun({ if: condition }: Step, outcomes: Record<string, { outcome: string; outputs: object }>): boolean {
  const steps = new Proxy(outcomes, { get: (all, id: string) => all[id] ?? { outcome: 'skipped', outputs: {} } });
  return runInNewContext(condition ?? 'true', { inputs: INPUTS, steps, always: () => true }) === true;
}

test('the action evaluates and compares, step by step, as the shell lines that it is made of', async () => {
  const project = await makeProject();
  for (const script of blocks('sh')) expect((await sh(script, project)).code, script).toBe(0);
  const outputs = join(project, 'outputs');
  const files = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: outputs, GITHUB_WORKSPACE: project };
  const place = {
    GITHUB_ACTION_PATH: resolve('.'),
    GITHUB_STEP_SUMMARY: join(project, 'summary.md'),
    TANDEM: 'tandem',
  };
  const play = async () => {
    const played: string[] = [];
    const outcomes: Record<string, { outcome: string; outputs: object }> = {};
    await writeFile(outputs, '');
    let code = 0;
    for (const step of action.runs.steps.filter((one) => isRun(one, outcomes))) {
      const fill = (text: string) =>
        text.replaceAll(/\$\{\{ inputs\.([\w-]+)(?: \|\| env\.\w+)? \}\}/g, (_, name: string) => INPUTS[name] ?? '');
      const env = Object.entries(step.env ?? {}).map(([name, text]) => [name, fill(text)] as const);
      const ended = await sh(step.run ?? 'exit 3', project, { ...files, ...place, ...Object.fromEntries(env) });
      played.push(step.id ?? step.run ?? step.uses ?? '');
      code = ended.code;
      if (code !== 0) break;
    }
    const said = Object.fromEntries((await readFile(outputs, 'utf8')).split('\n').map((line) => line.split('=')));
    return { played, code, said: said as Record<string, string> };
  };
  const same = await play();
  expect(same.played.at(-1)).toBe('evaluate');
  expect(same.played).toHaveLength(2);
  expect(same).toMatchObject({ code: 0, said: { label: 'same' } });
  // Every output of an evaluation that the action declares has a value.
  const values = Object.values(action.outputs ?? {}).map(({ value }) => value);
  const names = values.flatMap((value) => /steps\.evaluate\.outputs\.(\w+)/.exec(value)?.slice(1) ?? []);
  expect(names.filter((name) => !same.said[name])).toEqual([]);
  expect(JSON.parse(await readFile(join(project, 'found.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
  const compared = await readFile(join(project, 'tandem-junit-compared.xml'), 'utf8');
  expect(compared).toContain('name="baseline"');

  await writeFile(
    join(project, 'scenarios/my-desk/agent.py'),
    'import sys\nfor text in sys.stdin:\n    print(\'{"say": "No.", "done": true}\', flush=True)\n',
  );
  for (let merge = 0; merge < 3; merge += 1) await sh('tandem bless first --out baseline.json --rolling 20', project);
  await sh('rm -rf tandem-evaluation', project);
  expect(await play()).toMatchObject({ code: 1, said: { verdict: 'not met', label: 'regression' } });
}, 120_000);
