/** A whole run that ends disputed: its exit code, its faces, the batch that holds one, and the label that settles it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { initScenario, lastJson, makeProject, tandem } from '../support/cli.ts';

let project: string;
const read = (...path: string[]) => readFile(join(project, ...path), 'utf8');

/** The library desk does everything right, and names a receipt that nothing ever gave it. */
beforeAll(async () => {
  project = await makeProject();
  await initScenario(project, 'desk');
  const edit = async (file: string, from: string, to: string) => {
    const text = await read('scenarios/desk', file);
    expect(text).toContain(from);
    await writeFile(join(project, 'scenarios/desk', file), text.replace(from, to));
  };
  await edit('scenario.yaml', 'max_iterations: 5', 'max_iterations: 2');
  const said = 'Done: you have fourteen days more.';
  await edit('simulation/subject.yaml', said, `${said} The receipt is RC-4711.`);
});

test('a run ends disputed with 1, says so on every face, and is settled by a label', async () => {
  const args = ['run', 'desk', '--id', 'doubt', '--on-gate', 'auto:demo', '--junit', 'junit.xml', '--json'];
  const done = await tandem(project, args);
  expect(done.code, done.stderr).toBe(1);
  expect(lastJson(done)).toMatchObject({
    ...{ status: 'failed', verdict: 'disputed', passedRange: { low: 2, high: 3 } },
    against: expect.arrayContaining([expect.objectContaining({ title: 'DISPUTED' })]),
  });
  const doubt = 'renew-once.1: the subject says "The receipt is RC-4711.", and nobody told it RC-4711';
  const status = await tandem(project, ['status', 'doubt']);
  expect(status.stdout.split('\n').slice(0, 5).join('\n')).toMatch(/Against this number: DISPUTED/);
  expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain('nobody told it RC-4711');
  const junit = await read('junit.xml');
  expect(junit).toContain('Against this number: DISPUTED');
  expect(junit).toContain(doubt.replaceAll('"', '&quot;'));
  expect(junit).toMatch(
    /name="target" classname="desk"[^>]*>\s*<failure message="failed: [^"]*2 to 3 of 3 passed \(disp/,
  );
  const page = await read('scenarios/desk/runs/doubt/out/report.html');
  expect(page.split('<h1>')[1]?.slice(0, 1200)).toContain('DISPUTED');
  expect(page).toContain('nobody told it RC-4711');

  const label = ['label', 'doubt', '--mark', 'renew-once.1', '--grader', 'verdict', '--as', 'pass'];
  expect(await tandem(project, [...label, '--reason', 'The desk prints receipts by itself.'])).toMatchObject({
    code: 0,
  });
  expect(lastJson(await tandem(project, ['label', 'doubt', '--report', '--json']))).toMatchObject({
    ...{ verdict: 'met', open: 0 },
  });
  const settled = lastJson(await tandem(project, ['statistics', 'doubt', '--json']));
  expect(settled).toMatchObject({ verdict: 'met' });
  expect(JSON.stringify(settled)).not.toContain('DISPUTED');
  expect(lastJson(await tandem(project, ['status', 'doubt', '--json']))).toMatchObject({ verdict: 'met' });
}, 120_000);

test('a run whose rule is not proven ends with 1 however many samples pass, until a person takes the rule by name', async () => {
  const other = await makeProject();
  await initScenario(other, 'desk');
  const rules = join(other, 'scenarios/desk/simulation/files/design/business_rules.yaml');
  const text = await readFile(rules, 'utf8');
  const [, first = ''] = /^ +text: (.*)$/m.exec(text) ?? [];
  const consent = 'The agent asks the reader for consent before it renews.';
  await writeFile(rules, text.replace(first, `${first} ${consent}`));
  const brief = join(other, 'scenarios/desk/scenario.yaml');
  const yaml = (await readFile(brief, 'utf8')).replace('max_iterations: 5', 'max_iterations: 2');
  await writeFile(brief, yaml);
  const run = (id: string) => tandem(other, ['run', 'desk', '--id', id, '--on-gate', 'auto:demo', '--json']);
  const done = await run('open');
  expect(done.code, done.stderr).toBe(1);
  const { unproven } = lastJson(done) as { unproven: { rule: string }[] };
  const [{ rule } = { rule: '' }] = unproven;
  expect(lastJson(done)).toMatchObject({ status: 'failed', verdict: 'not met', successRate: 1 });
  const status = await tandem(other, ['status', 'open']);
  expect(status.stdout.split('\n').slice(0, 5).join('\n')).toContain(`Against this number: NOT PROVEN (${rule})`);
  expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain(`${rule} is not proven`);
  await writeFile(brief, `${yaml}unproven: { ${rule}: the reader presses a button }\n`);
  const taken = await run('taken');
  expect(taken.code, taken.stderr).toBe(0);
  expect(JSON.stringify(lastJson(taken))).toContain('NOT PROVEN, ALLOWED');
}, 120_000);

test('a batch that holds such a run is no met target, and names it', async () => {
  const done = await tandem(project, ['batch', 'desk', '--id', 'many', '--on-gate', 'auto:demo', '--json']);
  expect(done.code, done.stderr).toBe(1);
  expect(lastJson(done)).toMatchObject({ rows: [{ status: 'failed', rate: { verdict: 'disputed' } }] });
  expect(await read('batches/many/summary.md')).toMatch(/\*\*DISPUTED\.\*\*[\s\S]*Against this number: DISPUTED/);
  expect(await read('batches/many/junit.xml')).toContain('Against this number: DISPUTED');
}, 120_000);
