/** A batch of evaluations, as the command plays it: one verdict for each scenario, JUnit, exit codes, and a second try of what is missing. */
import { createServer } from 'node:http';
import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { batchCommand } from '../../../src/cli/batch/batch.ts';
import { openLiveMark } from '../../../src/disk/live-mark.ts';
import { openSharedFiles } from '../../../src/disk/shared-files.ts';
import { lampsProject, resultsIn } from '../evaluate/lamps-project.ts';

const { signal } = new AbortController();

const COMPLETION = {
  ...{ id: 'c', object: 'chat.completion', model: 'lamp-4' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It is locked.' } }],
  usage: { prompt_tokens: 1000, completion_tokens: 1000 },
};

/** Two scenarios of lamps, and an endpoint that refuses the dark hall until it is repaired. */
async function twoScenarios() {
  const asked: string[] = [];
  let isBroken = true;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      asked.push(body.includes('It is dark here.') ? 'turn-on' : 'locked-lamp');
      if (request.url === '/v1/chat/completions') response.end(JSON.stringify(COMPLETION));
      else if (isBroken && asked.at(-1) === 'turn-on') response.writeHead(503).end('no');
      else response.end('{"say":"The hall lamp is on, and it is locked.","done":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { io, dir } = await lampsProject({ brief: { target: 0.5 } });
  const other = join(dir, '../torches');
  await cp(dir, other, { recursive: true });
  const brief = await readFile(join(other, 'scenario.yaml'), 'utf8');
  await writeFile(join(other, 'scenario.yaml'), brief.replace('"name":"lamps"', '"name":"torches"'));
  const { port } = server.address() as AddressInfo;
  await writeFile(join(io.cwd, 'mine.yaml'), JSON.stringify({ kind: 'http', url: `http://127.0.0.1:${port}/turn` }));
  const batch = (patterns: string[], options: Parameters<typeof batchCommand>[1] = {}) =>
    batchCommand(patterns, { evaluate: true, allowUnsandboxed: true, ...options }, { io, signal });
  return { io, asked, batch, port, repair: () => (isBroken = false) };
}

const names = (xml: string) =>
  [...xml.matchAll(/<testcase name="([^"]+)" classname="([^"]+)"/g)].map(([, name, of]) => `${of} ${name}`);

test('every scenario has one verdict, an outage is 6 and an error in JUnit, and --resume plays what is missing alone', async () => {
  const { io, asked, batch, repair } = await twoScenarios();
  expect(await batch(['scenarios/*'], { id: 'nightly', subject: ['mine.yaml'], json: true, junit: 'all.xml' })).toBe(6);
  expect(io.json()).toMatchObject({
    ...{ batch: 'nightly', exit: 6 },
    evaluations: [
      { scenario: 'lamps', verdict: 'incomplete', exit: 6, passed: 1, total: 1 },
      { scenario: 'torches', verdict: 'incomplete', exit: 6 },
    ],
  });
  expect(io.errors.join('\n')).toContain('tandem batch --evaluate --resume nightly');
  const first = await readFile(join(io.cwd, 'all.xml'), 'utf8');
  expect(first).toMatch(/<testsuites name="nightly" tests="6" failures="0" errors="4"/);

  repair();
  asked.length = 0;
  // Whoever forgets --evaluate means this batch all the same.
  expect(await batch([], { evaluate: false, resume: 'nightly', json: true, junit: 'all.xml' })).toBe(0);
  expect(new Set(asked)).toEqual(new Set(['turn-on']));
  expect(io.json()).toMatchObject({
    exit: 0,
    evaluations: [
      { verdict: 'met', total: 2 },
      { verdict: 'met', total: 2 },
    ],
  });
  const second = await readFile(join(io.cwd, 'all.xml'), 'utf8');
  expect(names(second)).toEqual(names(first));
  expect(second).toMatch(/tests="6" failures="2" errors="0"/);
  expect(await readFile(join(io.cwd, 'batches/nightly/summary.md'), 'utf8')).toContain('- lamps: met, 1 of 2 pass');

  // One value for each command, and none of its evaluations.
  expect(io.lines).toHaveLength(2);

  // What is complete is read, and nobody is asked again.
  asked.length = 0;
  expect(await batch([], { resume: 'nightly' })).toBe(0);
  expect(asked).toEqual([]);
  expect(io.lines).toContain('torches: met, 1 of 2 pass');
});

test('one scenario that does not prove itself, or misses its target, leaves the others alone', async () => {
  const { io, batch, repair } = await twoScenarios();
  repair();
  const sample = join(io.cwd, 'scenarios/torches/simulation/files/i1/samples/turn-on.json');
  const text = JSON.parse(await readFile(sample, 'utf8')) as Record<string, unknown>;
  await writeFile(sample, JSON.stringify({ ...text, gold: [] }));
  expect(await batch(['lamps', 'torches'], { id: 'b', subject: ['gold'], trials: '2', json: true })).toBe(1);
  expect(io.json()).toMatchObject({
    evaluations: [
      { scenario: 'lamps', verdict: 'met', exit: 0 },
      { scenario: 'torches', verdict: 'not played', exit: 1, why: expect.stringContaining('nothing was played') },
    ],
  });
  const { samples } = await resultsIn(join(io.cwd, 'batches/b/lamps'));
  expect(samples.map(({ trials }) => trials.length)).toEqual([2, 2]);
  const junit = await readFile(join(io.cwd, 'batches/b/junit.xml'), 'utf8');
  expect(junit).toMatch(/name="target" classname="torches"[^>]*>\s*<error/);
});

test('a doubtful verdict, what speaks against a number, a cap on money and a changed agent are as at every door', async () => {
  const { io, batch } = await twoScenarios();
  const says = (text: string) =>
    writeFile(
      join(io.cwd, 'scenarios/lamps/mine.mjs'),
      `process.stdin.on('data', (all) => String(all).trim().split('\\n').forEach((line) => JSON.parse(line).type === 'open' || process.stdout.write('{"say":"${text}","done":true}\\n')));`,
    );
  await says('It is locked. The receipt is RC-4711.');
  await writeFile(join(io.cwd, 'agent.yaml'), JSON.stringify({ kind: 'command', command: ['node', 'mine.mjs'] }));
  const play = (id: string) => batch(['lamps'], { id, subject: ['agent.yaml'], json: true });
  expect(await play('doubt')).toBe(1);
  expect(io.json()).toMatchObject({ evaluations: [{ scenario: 'lamps', verdict: 'disputed', exit: 1 }] });
  expect(await readFile(join(io.cwd, 'batches/doubt/junit.xml'), 'utf8')).toContain('Against this number: DISPUTED');
  expect(await readFile(join(io.cwd, 'batches/doubt/summary.md'), 'utf8')).toContain('nobody told it RC-4711');
  // A trial that is there is read; a result that is missing is played by the agent of now.
  await rm(join(io.cwd, 'batches/doubt/lamps/results.json'));
  await says('It is locked.');
  expect(await play('doubt')).toBe(0);
  expect(io.errors.join('\n')).toContain('Begins anew: the subject has changed');
  // So is one whose results are whole; nobody is told the number of the agent of before.
  await says('It is locked. The receipt is RC-4711.');
  expect(await play('doubt')).toBe(1);
  expect(io.json()).toMatchObject({ evaluations: [{ verdict: 'disputed' }] });
  // Of other components the old results are kept, and a batch of its own is asked for.
  const sample = join(io.cwd, 'scenarios/lamps/simulation/files/i1/samples/turn-on.json');
  const text = JSON.parse(await readFile(sample, 'utf8')) as object;
  await writeFile(sample, JSON.stringify({ ...text, title: 'Another' }));
  expect(await play('doubt')).toBe(2);
  expect(await readdir(join(io.cwd, 'batches/doubt/lamps'))).toContain('results.json');
});

test('the scenarios of a batch share its budget, also when the first of them ends at the cap', async () => {
  const { io, batch, port } = await twoScenarios();
  const subject = { kind: 'openai', base_url: `http://127.0.0.1:${port}/v1`, model: 'lamp-4' };
  await writeFile(join(io.cwd, 'dear.yaml'), JSON.stringify({ ...subject, price: { input: 1, output: 4 } }));
  const options = { id: 'poor', subject: ['dear.yaml'], trials: '20', budget: '0.006', json: true };
  expect(await batch(['lamps', 'torches'], options)).toBe(5);
  expect(io.json()).toMatchObject({ evaluations: [{ exit: 5 }, { exit: 5 }] });
  expect(await readdir(join(io.cwd, 'batches/poor/torches'))).not.toContain('traces');
});

test('the folder of a scenario in a batch has its name, wherever it lies; two of one name are refused', async () => {
  const { io, batch } = await twoScenarios();
  await cp(join(io.cwd, 'scenarios/lamps'), join(io.cwd, 'other/lamps'), { recursive: true });
  const subject = ['gold'];
  expect(await batch([join(io.cwd, 'scenarios/../other/lamps')], { id: 'path', subject, json: true })).toBe(0);
  expect(await readdir(join(io.cwd, 'batches/path'))).toContain('lamps');
  expect(io.json()).toMatchObject({ evaluations: [{ scenario: 'lamps' }] });
  const both = batch(['lamps', join(io.cwd, 'other/lamps')], { id: 'both', subject });
  await expect(both).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('Two scenarios are') });
  expect(await readdir(join(io.cwd, 'batches'))).not.toContain('both');
});

test('a batch that is there goes on with what it was begun with; other scenarios, trials or a strange id are refused', async () => {
  const { io, batch } = await twoScenarios();
  const given = { id: 'nightly', subject: ['gold'] };
  expect(await batch(['lamps'], given)).toBe(0);
  expect(await batch(['lamps'], given)).toBe(0);
  for (const again of [batch(['torches'], given), batch(['lamps'], { ...given, trials: '3' })])
    await expect(again).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('another --id') });
  await expect(batch(['lamps'], { ...given, id: '../../evil' })).rejects.toMatchObject({ code: 'usage' });
  // Two at once: the second touches nothing of the first.
  const place = openSharedFiles(join(io.cwd, 'batches/nightly'));
  const other = await openLiveMark(place, 'at-work/other.json');
  await expect(batch(['lamps'], given)).rejects.toThrow('Another process is evaluating');
  await other.end();
});

test('CI gets outputs, one summary of all scenarios, and an annotation for each sample that failed', async () => {
  const { io, batch, repair } = await twoScenarios();
  repair();
  const files = { GITHUB_OUTPUT: join(io.cwd, 'outputs'), GITHUB_STEP_SUMMARY: join(io.cwd, 'summary') };
  Object.assign(io.env, { ...files, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: io.cwd });
  expect(await batch(['scenarios/*'], { id: 'ci', subject: ['mine.yaml'] })).toBe(0);
  const outputs = (await readFile(files.GITHUB_OUTPUT, 'utf8')).split('\n');
  const junit = join(io.cwd, 'batches/ci/junit.xml');
  expect(outputs).toEqual(
    expect.arrayContaining(['batch=ci', 'met=2', 'incomplete=0', 'exit_code=0', `junit=${junit}`]),
  );
  const summary = await readFile(files.GITHUB_STEP_SUMMARY, 'utf8');
  for (const name of ['lamps', 'torches']) expect(summary).toContain(`- ${name}: met, 1 of 2 pass`);
  const annotations = io.errors.filter((line) => /^::(?:warning|error) /.test(line));
  expect(annotations).toEqual([expect.stringContaining('turn-on'), expect.stringContaining('turn-on')]);
});

test('what makes no sense is refused before anything is written', async () => {
  const { io, batch } = await twoScenarios();
  for (const options of [
    { runs: '2' },
    { subject: ['nobody.yaml'] },
    { subject: ['gold', 'mine.yaml'] },
    { trials: '0' },
  ])
    await expect(batch(['lamps'], options), JSON.stringify(options)).rejects.toMatchObject({ code: 'usage' });
  await expect(batch([], { resume: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  const runs = batchCommand(['lamps'], { trials: '2' }, { io, signal });
  await expect(runs).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('--evaluate') });
  expect(await readdir(io.cwd)).not.toContain('batches');
});
