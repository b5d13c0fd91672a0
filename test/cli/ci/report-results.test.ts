import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderSarif } from '../../../src/report/run/annotations.ts';
import { blessCommand, compareCommand } from '../../../src/cli/evaluate/compare.ts';
import { lampsProject, resultsIn } from '../evaluate/lamps-project.ts';

const names = (xml: string) =>
  [...xml.matchAll(/<testcase name="([^"]+)" classname="([^"]+)"/g)].map(([, name, own]) => [name, own]);
const IDLE = { kind: 'command', command: ['node', 'idle.mjs'] };

async function lampsInCi(more: Parameters<typeof lampsProject>[0] = {}) {
  const project = await lampsProject(more);
  const { io } = project;
  const files = { GITHUB_OUTPUT: join(io.cwd, 'outputs'), GITHUB_STEP_SUMMARY: join(io.cwd, 'summary.md') };
  Object.assign(io.env, files, { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: io.cwd });
  const read = (name: string) => readFile(join(io.cwd, name), 'utf8');
  return { ...project, read };
}

test('an evaluation in CI writes JUnit, outputs, a summary, SARIF, and annotations at the line of the sample', async () => {
  const { io, evaluate, read } = await lampsInCi({ brief: { subject: IDLE, target: 1 } });
  expect(await evaluate({ ci: true, junit: 'junit.xml', sarif: 'found.sarif', out: 'mine' })).toBe(1);
  const xml = await read('junit.xml');
  expect(names(xml)).toEqual([
    ['locked-lamp', 'lamps'],
    ['turn-on', 'lamps'],
    ['target', 'lamps'],
  ]);
  expect(xml).toContain('message="not met: 1 of 2 samples pass, target 100 %"');
  expect(await read('outputs')).toContain('verdict=not met\npassed=1\ntotal=2\nunscored=0\nsuccess_rate=0.5\n');
  expect(await read('outputs')).toContain('exit_code=1');
  expect(await read('summary.md')).toContain('1 of 2 samples passed');
  const own = 'scenarios/lamps/simulation/files/i1/samples/turn-on.json';
  const [, file, line] = /^::error file=([^,]+),line=(\d+),title=turn-on fails/m.exec(io.errors.join('\n')) ?? [];
  expect(file).toBe(own);
  const text = (await read(own)).split('\n');
  const sarif = JSON.parse(await read('found.sarif')) as object;
  expect(sarif).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        invocations: [{ executionSuccessful: true }],
        results: [
          {
            locations: [{ physicalLocation: { artifactLocation: { uri: own }, region: { startLine: Number(line) } } }],
          },
        ],
      },
    ],
  });
  // One line holds the whole of a sample that a program wrote.
  expect(Number(line)).toBeLessThanOrEqual(text.length);
  expect(io.errors.findIndex((one) => one.startsWith('::stop-commands::'))).toBeLessThan(
    io.errors.findIndex((one) => one.startsWith('::error')),
  );
  await writeFile(join(io.cwd, 'notes.txt'), 'mine');
  await expect(evaluate({ junit: 'notes.txt' })).rejects.toMatchObject({ code: 'usage' });
});

test('SARIF holds what its schema requires, and an address in which no letter means something else', () => {
  const title = 'a fails (layer 4)';
  const sarif = renderSarif([
    { level: 'error', title, text: 'why', rule: 'samples/a.json', file: 'my desk/#1/a.json' },
  ]);
  const location = { artifactLocation: { uri: 'my%20desk/%231/a.json' }, region: { startLine: 1 } };
  const result = {
    ruleId: 'samples/a.json',
    message: { text: `${title}: why` },
    locations: [{ physicalLocation: location }],
  };
  const driver = { name: 'Tandem', rules: [{ id: 'samples/a.json' }] };
  expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver }, results: [result] }] });
});

test('what did not finish has errors, whatever ended it, and the names of tests stay', async () => {
  const { io, evaluate, read } = await lampsInCi({
    brief: { subject: { kind: 'http', url: 'http://127.0.0.1:9/' }, target: 0.5 },
  });
  const readInvocation = async (name: string) => {
    const { runs } = JSON.parse(await read(name)) as { runs: { results: unknown[]; invocations: unknown[] }[] };
    return [runs[0]?.results, runs[0]?.invocations[0]];
  };
  const unfinished = (...texts: string[]) => ({
    executionSuccessful: false,
    toolExecutionNotifications: texts.map((text) => ({
      level: 'error',
      message: { text: expect.stringContaining(text) },
    })),
  });
  expect(await evaluate({ ci: true, out: 'mine', sarif: 'outage.sarif' })).toBe(6);
  expect(await readInvocation('outage.sarif')).toEqual([
    [],
    unfinished('locked-lamp has no verdict: ', 'turn-on has no verdict: '),
  ]);
  expect(io.errors.join('\n')).toContain('::error title=turn-on has no verdict::');
  const xml = await read('mine/junit.xml');
  expect(xml).toMatch(/tests="3" failures="0" errors="3"/);
  expect(names(xml)[0]).toEqual(['locked-lamp', 'lamps']);
  await writeFile(join(io.cwd, 'scenarios/lamps/simulation/files/i1/tools/switch-lamp.mjs'), 'export const tool = ;');
  expect(await evaluate({ ci: true, out: 'broken', junit: 'broken.xml' })).toBe(1);
  expect(await read('broken.xml')).toMatch(/tests="1" failures="0" errors="1".*\n.*\n.*name="target"/);
  const missing = { ci: true, components: 'nowhere', junit: 'none.xml', sarif: 'none.sarif' };
  await expect(evaluate(missing)).rejects.toMatchObject({ code: 'usage' });
  expect(await readInvocation('none.sarif')).toEqual([[], unfinished('lamps: --components nowhere: has none')]);
  expect(await read('none.xml')).toContain('errors="1"');
});

test('trials are counted as asked, results are compared by path, and a comparison is JUnit too', async () => {
  const { io, evaluate, read } = await lampsInCi({ brief: { target: 0.5 } });
  expect(await evaluate({ subject: ['gold'], trials: '4', out: 'gold' })).toBe(0);
  expect((await resultsIn(join(io.cwd, 'gold'))).samples.map(({ trials }) => trials.length)).toEqual([4, 4]);
  await writeFile(join(io.cwd, 'idle.yaml'), JSON.stringify(IDLE));
  expect(await evaluate({ subject: ['idle.yaml'], trials: '4', out: 'idle' })).toBe(0);
  expect(await compareCommand('gold', { others: ['gold', 'idle'], failOn: 'regression' }, io)).toBe(1);
  expect(
    await compareCommand('gold', { others: ['idle'], failOn: 'regression', junit: 'compared.xml', ci: true }, io),
  ).toBe(1);
  const xml = await read('compared.xml');
  expect(xml).toMatch(/tests="3" failures="2" errors="0"/);
  expect(names(xml).map(([name]) => name)).toEqual(['locked-lamp', 'turn-on', 'baseline']);
  expect(await read('outputs')).toContain('label=regression');
  expect(names(xml).map(([, className]) => className)).toEqual(['lamps', 'lamps', 'lamps']);
  await expect(evaluate({ subject: ['gold'], trials: '1001', out: 'more' })).rejects.toThrow('from 1 to 1000');
  await blessCommand('gold', { out: 'base.json' }, io);
  expect(await compareCommand('gold', { baseline: 'base.json', failOn: 'soft', junit: 'compared.xml' }, io)).toBe(0);
  expect(await read('compared.xml')).toMatch(/tests="3" failures="0" errors="0"/);
});
