import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blessCommand, compareCommand } from '../../../src/cli/evaluate/compare.ts';
import { rejudgeCommand } from '../../../src/cli/evaluate/rejudge.ts';
import { BusinessRules } from '../../../src/scenario/design.ts';
import { lampsProject, resultsIn } from './lamps-project.ts';

const { signal } = new AbortController();
const NOT_PROVEN = expect.arrayContaining([expect.objectContaining({ title: 'NOT PROVEN' })]);

/** A scenario whose first rule is about consent, and whose samples ask nobody for any. */
async function unprovenProject(brief: object = {}) {
  const made = await lampsProject({ brief: { target: 0.5, ...brief } });
  const file = join(made.dir, 'simulation/files/r1/business_rules.yaml');
  const { rules, ...rest } = BusinessRules.parse(JSON.parse(await readFile(file, 'utf8')));
  const text = 'The agent asks the customer for consent before it switches a lamp.';
  const changed = rules.map((rule) => (rule.id === 'R1' ? { ...rule, text } : rule));
  await writeFile(file, JSON.stringify({ ...rest, rules: changed }));
  return made;
}

test('every sample passes, a rule is not proven, and no door calls the target met', async () => {
  const { io, dir, evaluate } = await unprovenProject();
  const first = join(dir, 'evaluations/1');
  expect(await evaluate({ subject: ['gold'], junit: 'junit.xml' })).toBe(1);
  const head = io.lines.slice(0, 5).join('\n');
  expect(head).toContain('2 of 2 samples pass');
  expect(head).toContain('Target 50 % (rate): not met, because R1 is not proven');
  expect(head).toContain('Against this number: NOT PROVEN (R1)');
  expect((await readFile(join(first, 'report.md'), 'utf8')).split('\n').slice(0, 5).join('\n')).toMatch(
    /\*\*not met\*\*: the rate reaches the target of 50 %, and R1 is not proven.*NOT PROVEN \(R1\)/,
  );
  const junit = await readFile(join(io.cwd, 'junit.xml'), 'utf8');
  expect(junit).toContain('name="against" value="Against this number: NOT PROVEN (R1)');
  expect(junit).toMatch(/name="target"[^>]*>\s*<failure message="not met: 2 of 2 samples pass, target 50 %; R1 is not/);
  expect(await evaluate({ subject: ['gold'], json: true })).toBe(1);
  expect(io.json()).toMatchObject({
    ...{ verdict: 'not met', met: false, passed: 2, total: 2 },
    against: expect.arrayContaining([
      { title: 'NOT PROVEN', text: expect.stringContaining('R1: nothing shows that anybody listens') },
    ]),
    ...{ judges: { R1: ['checker'], R2: ['checker'] }, unproven: [{ rule: 'R1' }] },
  });

  expect(await rejudgeCommand([first], { allowUnsandboxed: true }, { io, signal })).toBe(0);
  expect(io.lines.join('\n')).toContain('Target 50 %: not met, because R1 is not proven (2 of 2). Against this number');
  await rejudgeCommand([first], { allowUnsandboxed: true, json: true }, { io, signal });
  expect(io.json()).toMatchObject({ sets: [{ verdict: 'not met', against: NOT_PROVEN }] });
  await blessCommand(first, { json: true, out: 'baseline.json' }, io);
  expect(io.json()).toMatchObject({ verdict: 'not met' });
  await compareCommand(first, { failOn: 'regression', baseline: 'baseline.json', junit: 'compared.xml' }, io);
  expect(io.lines.join('\n')).toContain('Target 50 %: not met, because R1 is not proven');
  expect(await readFile(join(io.cwd, 'compared.xml'), 'utf8')).toContain('NOT PROVEN (R1)');
  await compareCommand(first, { failOn: 'regression', baseline: 'baseline.json', json: true }, io);
  expect(io.json()).toMatchObject({ verdict: 'not met', against: NOT_PROVEN });
});

test('a person takes the rule without a proof, by its name and a reason, and every face says so', async () => {
  const { io, dir, evaluate } = await unprovenProject({
    unproven: { R1: 'the button asks before the agent is called' },
  });
  expect(await evaluate({ subject: ['gold'], junit: 'junit.xml' })).toBe(0);
  const head = io.lines.slice(0, 5).join('\n');
  expect(head).toContain('Target 50 % (rate): met');
  expect(head).toContain('Against this number: NOT PROVEN, ALLOWED (R1)');
  expect(io.lines.join('\n')).toContain('R1 (the button asks before the agent is called)');
  expect(await readFile(join(io.cwd, 'junit.xml'), 'utf8')).toContain('NOT PROVEN, ALLOWED (R1)');
  const report = await readFile(join(dir, 'evaluations/1/report.md'), 'utf8');
  expect(report.split('\n').slice(0, 5).join('\n')).toContain('NOT PROVEN, ALLOWED (R1)');
});

test('results of the time before keep their verdict', async () => {
  const { io, dir, evaluate } = await unprovenProject();
  await evaluate({ subject: ['gold'] });
  const first = join(dir, 'evaluations/1');
  const { unproven: _later, ...old } = await resultsIn(first);
  await writeFile(join(first, 'results.json'), JSON.stringify(old));
  await rejudgeCommand([first], { allowUnsandboxed: true, json: true }, { io, signal });
  expect(io.json()).toMatchObject({ sets: [{ verdict: 'met', against: NOT_PROVEN }] });
});
