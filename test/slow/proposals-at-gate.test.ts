/** From a trace of production to the gate: a proposal is evidence that Init reads and quotes, and a reviewer sees where the quote stands. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importCommand } from '../../src/cli/interop/import.ts';
import { showGate } from '../../src/cli/gates/gates.ts';
import { approveAll, begin, live, makeProject, quietIo } from '../support/project.ts';
import { driveToRest } from '../../src/pipeline/drive/drive.ts';

const WORDS = 'My card is lost, please renew L-101 for ann@mail.org.';
const PROPOSALS = 'evidence/log/proposals.md';

const TRACE = {
  messages: [
    { role: 'user', content: WORDS },
    { role: 'assistant', tool_calls: [{ id: 'c1', name: 'find_loan', arguments: { loan_id: 'L-101' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '{"ok":true}' },
    { role: 'assistant', content: 'I cannot do that without your card.' },
  ],
};

test('Init reads a proposal as evidence, and the gate shows its file and line', async () => {
  const project = await makeProject();
  const first = await project.open();
  const io = quietIo(project.dir);
  try {
    expect(await begin(project, first).then((run) => approveAll(first, run.id))).toMatchObject({ status: 'succeeded' });
    await writeFile(join(project.dir, 'log.jsonl'), `${JSON.stringify(TRACE)}\n`);
    const options = { for: 'small-desk', allowUnsandboxed: true } as const;
    expect(await importCommand({ format: 'traces', source: 'log.jsonl' }, options, { io, signal: live })).toBe(0);
  } finally {
    await first.close();
  }
  const page = await readFile(join(project.dir, 'scenarios/small-desk', PROPOSALS), 'utf8');
  expect(page).not.toContain('ann@mail.org');

  // Nothing reads the proposal until a person names it.
  await project.edit('scenario.yaml', 'policies/lending.md]', `policies/lending.md, ${PROPOSALS}]`);
  const rules = 'simulation/files/design/business_rules.yaml';
  await project.edit(
    rules,
    'quote: A loan is looked at before anything is said about it.',
    'quote: My card is lost, please renew L-101',
  );
  await project.edit(
    'simulation/init.yaml',
    `          - { tool: read, input: { file_path: scenario/policies/lending.md } }
`,
    `          - { tool: read, input: { file_path: scenario/policies/lending.md } }
      - calls: [{ tool: read, input: { file_path: scenario/${PROPOSALS} } }]
      - expects: 'My card is lost'
        calls: [{ tool: glob, input: { pattern: '*.md', path: scenario } }]
`,
  );
  const second = await project.open();
  try {
    const run = await begin(project, second, 'run-2');
    expect(await driveToRest(run.id, second.deps, live)).toMatchObject({ status: 'awaiting_approval' });
    io.said.length = 0;
    await showGate(run.id, {}, io);
    expect(io.said.join('\n')).toContain(PROPOSALS);
    io.said.length = 0;
    await showGate(run.id, { json: true }, io);
    const line = page.split('\n').findIndex((text) => text.includes('My card is lost')) + 1;
    expect(io.said.join('\n')).toContain(
      `"quote":"My card is lost, please renew L-101","file":"${PROPOSALS}","line":${line}`,
    );
  } finally {
    await second.close();
    await project.remove();
  }
});
