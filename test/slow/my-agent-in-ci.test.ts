/** docs/my-agent-in-ci.md, line by line: what lies in the repository, the baseline, and each step of the workflow as a shell runs it. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { makeProject } from '../support/cli.ts';

const page = readFileSync('docs/my-agent-in-ci.md', 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);
const Job = z.object({ steps: z.array(z.object({ run: z.string().optional() })) });
const Workflow = z.object({ jobs: z.object({ evaluate: Job }) });
const steps = () => Workflow.parse(parse(blocks('yaml')[0] ?? '')).jobs.evaluate.steps.flatMap(({ run }) => run ?? []);

function sh(script: string, cwd: string, files: Record<string, string> = {}) {
  const env = {
    PATH: `${resolve('test/support/installed')}:${process.env['PATH'] ?? ''}`,
    HOME: cwd,
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

test('every file that the table of doors names exists', () => {
  const rows = readFileSync('docs/internals/doors.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);
  const named = rows.flatMap((row) =>
    [
      ...row
        .split('|')
        .slice(2)
        .join('|')
        .matchAll(/`([^`]+)`/g),
    ].map(([, path = '']) => path),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(`test/${path}.test.ts`))).toEqual([]);
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
