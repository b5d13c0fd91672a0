/** Traces of production through processes of their own: imported for a scenario, read by Init as evidence, and shown at the gate with their source. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeProject, tandem } from '../support/cli.ts';

const WORDS = 'My card is lost, please renew L-101 for ann@mail.org.';
const PROPOSALS = 'evidence/log/proposals.md';
const RECORDED = {
  input: [
    { role: 'user', content: WORDS },
    { type: 'function_call', call_id: 'c1', name: 'find_loan', arguments: '{"loan_id":"L-101"}' },
    { type: 'function_call_output', call_id: 'c1', output: '{"ok":true}' },
  ],
  output: [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I need your card for that.' }] },
  ],
};

let project = '';
afterAll(() => rm(project, { recursive: true, force: true }));

async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(project, 'scenarios/desk', file);
  const text = await readFile(path, 'utf8');
  expect(text, file).toContain(from);
  await writeFile(
    path,
    text.replace(from, () => to),
  );
}

test('a proposal is evidence of a run, and the gate names its file and line', async () => {
  project = await makeProject();
  const done = async (...args: string[]) => tandem(project, args);
  expect(await done('init', 'desk')).toMatchObject({ code: 0 });
  expect(await done('run', 'desk', '--id', 'first', '--profile', 'demo')).toMatchObject({ code: 0 });
  await writeFile(join(project, 'log.jsonl'), `${JSON.stringify(RECORDED)}\n{"input": [\n`);
  const imported = await done('import', 'traces', 'log.jsonl', '--for', 'desk');
  expect(imported, imported.stderr).toMatchObject({ code: 0 });
  expect(imported.stdout).toContain('log.jsonl:2: refused');
  const page = await readFile(join(project, 'scenarios/desk', PROPOSALS), 'utf8');
  expect(page).not.toContain('ann@mail.org');

  await edit('scenario.yaml', 'policies/lending.md]', `policies/lending.md, ${PROPOSALS}]`);
  await edit(
    'simulation/files/design/business_rules.yaml',
    'quote: A loan is looked at before anything is said about it.',
    'quote: My card is lost, please renew L-101',
  );
  const read = '          - { tool: read, input: { file_path: scenario/policies/lending.md } }\n';
  await edit(
    'simulation/init.yaml',
    read,
    `${read}      - calls: [{ tool: read, input: { file_path: scenario/${PROPOSALS} } }]\n`,
  );
  expect(await done('run', 'desk', '--id', 'second', '--on-gate', 'exit')).toMatchObject({ code: 4 });
  const shown = await done('gates', 'show', 'second', '--json');
  const line = page.split('\n').findIndex((text) => text.includes('My card is lost')) + 1;
  expect(shown.stdout).toContain(`"quote":"My card is lost, please renew L-101","file":"${PROPOSALS}","line":${line}`);
}, 60_000);
