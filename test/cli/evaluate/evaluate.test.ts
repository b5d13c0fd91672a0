import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../../src/adapters/simulated/start.ts';
import { blessCommand, compareCommand } from '../../../src/cli/evaluate/compare.ts';
import { evaluateCommand } from '../../../src/cli/evaluate/evaluate.ts';
import { openLiveMark } from '../../../src/disk/live-mark.ts';
import { openSharedFiles } from '../../../src/disk/shared-files.ts';
import { rejudgeOwnTraces } from '../../../src/cli/evaluate/rejudge-own.ts';
import { readCalls } from '../../../src/evaluation/trial/read-calls.ts';
import { packageVersion } from '../../../src/own-file.ts';
import { RULES_VERSION } from '../../../src/scenario/attribution/problem-code.ts';
import { TrialCalls } from '../../../src/scenario/trial-calls.ts';
import { turnOn } from '../../evaluation/lamps.ts';
import { lampsProject as project, resultsIn } from './lamps-project.ts';

const { signal } = new AbortController();
const CALLS = 'evaluations/1/traces/turn-on.1.calls.json';

test('plays imported components on their gold paths without a model, into a folder that can be judged again', async () => {
  const { io, dir, evaluate } = await project();
  expect(await evaluate({ subject: ['gold'] })).toBe(0);
  expect(io.lines.join('\n')).toContain('2 of 2 samples pass');
  expect(io.errors).toContain('Proving the components before any subject is called.');
  const first = join(dir, 'evaluations/1');
  expect((await readdir(first)).toSorted()).toEqual(
    ['checkers', 'design', 'evaluation.json', 'report.md', 'results.json', 'samples', 'tools', 'traces'].toSorted(),
  );
  expect(await resultsIn(first)).toMatchObject({ successRate: 1, simulated: false, costUsd: 0 });
  const judged = await rejudgeOwnTraces('scenarios/lamps/evaluations/1', { allowUnsandboxed: true }, { io, signal });
  expect(judged).toMatchObject({ n: 2, agreed: 2, faults: 0 });

  // What has proved itself is not proven again, and every evaluation has a folder of its own.
  io.errors.length = 0;
  expect(await evaluate({ subject: ['gold'], json: true })).toBe(0);
  expect(io.errors.join('\n')).not.toContain('Proving');
  expect(JSON.parse(io.lines.at(-1) ?? '')).toMatchObject({ folder: join(dir, 'evaluations/2'), passed: 2, met: true });
});

test('a subject that nobody reaches is no result, and why is said once, on the terminal and in the report', async () => {
  const { io, dir, evaluate } = await project({ brief: { subject: { kind: 'http', url: 'http://127.0.0.1:9/turn' } } });
  expect(await evaluate()).toBe(6);
  expect(io.lines.filter((line) => line.startsWith('Unscored: '))).toEqual([
    expect.stringContaining('cannot be reached'),
  ]);
  const report = await readFile(join(dir, 'evaluations/1/report.md'), 'utf8');
  expect(report).toMatch(/- `turn-on`: the infrastructure failed: the endpoint cannot be reached/);
});

test('the subject that the scenario names is played; one that misses the target ends with exit code 1', async () => {
  const subject = { kind: 'command', command: [process.execPath, 'idle.mjs'] };
  const { dir, evaluate } = await project({ brief: { subject } });
  expect(await evaluate()).toBe(1);
  const { passed, total, samples } = await resultsIn(join(dir, 'evaluations/1'));
  expect([passed, total]).toEqual([1, 2]);
  expect(samples.find(({ id }) => id === 'turn-on')).toMatchObject({ outcome: 'fail', layer: 4 });
  // What the report says to do can be done.
  const report = await readFile(join(dir, 'evaluations/1/report.md'), 'utf8');
  expect(report).toMatch(/tandem rejudge \S+evaluations\/1\/traces\/turn-on\.1\.jsonl/);
  expect(report).not.toContain('tandem rerun');
});

test('what was finished before it was killed is not played again; other components begin anew', async () => {
  const { io, dir, evaluate } = await project();
  await evaluate({ subject: ['gold'] });
  const first = join(dir, 'evaluations/1');
  const whole = await readFile(join(first, 'results.json'), 'utf8');
  // As if it had been killed just before its end.
  await rm(join(first, 'results.json'));
  expect(await evaluate({ subject: ['gold'] })).toBe(0);
  expect(io.errors).toContain(`Goes on in ${first}`);
  const timeless = (text: string) => text.replaceAll(/"durationMs": [\d.]+/g, '');
  expect(timeless(await readFile(join(first, 'results.json'), 'utf8'))).toBe(timeless(whole));
  await rm(join(first, 'results.json'));
  await writeFile(
    join(dir, 'simulation/files/i1/samples/turn-on.json'),
    JSON.stringify({ ...turnOn, title: 'Another' }),
  );
  await evaluate({ subject: ['gold'] });
  expect(io.errors).toContain(`Evaluates in ${join(dir, 'evaluations/2')}`);
});

test('a folder in which another process is at work is left alone; one whose process died is gone on with at once', async () => {
  const { dir, evaluate } = await project();
  await evaluate({ subject: ['gold'] });
  const first = join(dir, 'evaluations/1');
  await rm(join(first, 'results.json'));
  const other = await openLiveMark(openSharedFiles(first), 'at-work/other.json');
  await expect(evaluate({ subject: ['gold'] })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`Another process is evaluating in ${first}`),
  });
  await expect(resultsIn(first)).rejects.toMatchObject({ code: 'ENOENT' });
  const text = await readFile(join(first, 'at-work/other.json'), 'utf8');
  await other.end();
  // As a process that was killed leaves it.
  const { pid } = spawnSync(process.execPath, ['--eval', '0']);
  await writeFile(join(first, 'at-work/other.json'), text.replace(/"pid":\d+/, `"pid":${pid}`));
  expect(await evaluate({ subject: ['gold'] })).toBe(0);
  expect(await readdir(first)).not.toContain('at-work');
});

test('the folder of --out takes the repaired components where the proof had refused the first, and none where something was played', async () => {
  const { io, dir, evaluate } = await project({ files: { 'samples/turn-on.json': { ...turnOn, gold: [] } } });
  const sample = join(dir, 'simulation/files/i1/samples/turn-on.json');
  const command = { subject: ['gold'], out: 'mine' };
  expect(await evaluate(command)).toBe(1);
  expect(io.lines.join('\n')).toContain('nothing was played');
  await writeFile(sample, JSON.stringify(turnOn));
  expect(await evaluate(command)).toBe(0);
  expect(await resultsIn(join(io.cwd, 'mine'))).toMatchObject({ passed: 2, total: 2 });
  expect(JSON.parse(await readFile(join(io.cwd, 'mine/samples/turn-on.json'), 'utf8'))).toEqual(turnOn);
  await writeFile(sample, JSON.stringify({ ...turnOn, title: 'Another' }));
  await expect(evaluate(command)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('else') });
});

test('a scenario whose folder takes no files is evaluated into another', async () => {
  const { dir, evaluate } = await project();
  // A file in the place of the folder that proofs are kept in: a disk that is read-only would not stop root.
  await writeFile(join(dir, 'evaluations'), '');
  expect(await evaluate({ subject: ['gold'], out: 'mine' })).toBe(0);
});

test('a changed agent takes nothing away from an evaluation that is at work in the folder', async () => {
  const subject = { kind: 'command', command: [process.execPath, 'idle.mjs'] };
  const { io, dir, evaluate } = await project({ brief: { subject } });
  expect(await evaluate({ out: 'mine' })).toBe(1);
  const place = join(io.cwd, 'mine');
  // As it is in the middle: another process is at work there, and has finished some.
  await mkdir(join(place, 'unfinished'));
  const other = await openLiveMark(openSharedFiles(place), 'at-work/other.json');
  await writeFile(join(dir, 'idle.mjs'), '// Another agent.');
  await expect(evaluate({ out: 'mine' })).rejects.toMatchObject({
    message: expect.stringContaining('Another process is evaluating'),
  });
  expect(await readdir(place)).toEqual(expect.arrayContaining(['traces', 'results.json', 'unfinished']));
  await other.end();
  io.errors.length = 0;
  await evaluate({ out: 'mine' });
  expect(io.errors.join('\n')).toContain('Begins anew: the subject has changed');
});

test('components that do not prove themselves are not played, unless the others are asked for alone', async () => {
  const { io, dir, evaluate } = await project({ files: { 'samples/turn-on.json': { ...turnOn, gold: [] } } });
  expect(await evaluate({ subject: ['gold'] })).toBe(1);
  expect(io.lines.join('\n')).toContain('nothing was played');
  expect(await readdir(join(dir, 'evaluations/1'))).not.toContain('traces');
  // Of R1 no other sample is left, so a rate of the rest says nothing about it.
  expect(await evaluate({ subject: ['gold'], provenOnly: true, json: true })).toBe(1);
  expect(JSON.parse(io.lines.at(-1) ?? '')).toMatchObject({
    ...{ passed: 1, total: 1, leftOut: ['turn-on'], verdict: 'not met' },
    unproven: [{ rule: 'R1', why: 'its samples do not prove themselves' }],
  });
});

test('money, folders and components that make no sense are one sentence each', async () => {
  const { io, dir, evaluate } = await project();
  await expect(evaluate({ maxUsd: 'much' })).rejects.toMatchObject({ code: 'usage' });
  await expect(evaluate({ limit: '0' })).rejects.toMatchObject({ code: 'usage' });
  await expect(evaluate({ subject: ['gold'], out: 'scenarios/lamps' })).rejects.toMatchObject({ code: 'usage' });
  expect(await evaluate({ subject: ['gold'], out: 'mine' })).toBe(0);
  expect(await resultsIn(join(io.cwd, 'mine'))).toMatchObject({ total: 2 });
  expect(await evaluate({ subject: ['gold'], out: 'one', limit: '1' })).toBe(0);
  expect(await resultsIn(join(io.cwd, 'one'))).toMatchObject({ total: 1, samples: [{ id: 'locked-lamp' }] });
  await rm(join(dir, 'simulation/files/i1'), { recursive: true });
  await expect(evaluate()).rejects.toThrow('--components');
});

test('what a person named wrongly is said by its name, before anything is played', async () => {
  const { io, dir, evaluate } = await project();
  const subject = ['gold'];
  await expect(evaluate({ subject, out: 'scenarios/lamps/brief.md' })).rejects.toMatchObject({
    ...{ code: 'usage', message: expect.stringContaining('brief.md is a file.') },
  });
  await expect(evaluate({ components: 'nowhere' })).rejects.toThrow('--components nowhere: has none of tools/');
  // A command that fails prints nothing, and a path that is none would stay the same for ever.
  await expect(evaluate({ subject, versionOf: '' })).rejects.toThrow('--version-of is empty');
  await expect(evaluate({ subject, versionOf: './agent' })).rejects.toThrow('no such file or folder');
  expect(await evaluate({ subject, versionOf: 'feature/lamps', out: 'mine' })).toBe(0);
  await expect(evaluate({ subject, versionOf: 'feature/lamps', out: 'mine' })).rejects.toThrow(
    'holds an evaluation that is finished',
  );
  await mkdir(join(dir, '../Lamp Shop'));
  const named = evaluateCommand('Lamp Shop', {}, { io, signal });
  await expect(named).rejects.toThrow(/There are: (?!.*Lamp Shop)/);
});

test.skipIf(!existsSync('/dev/full'))('a full disk is named with the folder, and nothing is lost', async () => {
  const { io, dir, evaluate } = await project();
  expect(await evaluate({ subject: ['gold'] })).toBe(0);
  const first = join(dir, 'evaluations/1');
  await rm(join(first, 'results.json'));
  await rm(join(first, 'report.md'));
  await symlink('/dev/full', join(first, 'report.md'));
  await expect(evaluate({ subject: ['gold'] })).rejects.toMatchObject({
    ...{ code: 'infrastructure', message: expect.stringContaining(`Evaluating in ${first} failed: no space left`) },
  });
  await rm(join(first, 'report.md'));
  await rm(join(first, 'results.json'), { force: true });
  expect(await evaluate({ subject: ['gold'] })).toBe(0);
  expect(io.errors).toContain(`Goes on in ${first}`);
});

test('a Chat Completions endpoint is played as any subject: tools both ways, its money booked, its name in the trace', async () => {
  const lamp = (name: string, marker: string, tool: string, input: object, say: string) => ({
    ...{ name, marker },
    steps: [{ calls: [{ tool, input: { ...input } }] }, { say }],
  });
  const script = {
    ...{ version: 1 as const, who: 'subject', match: { system_includes: 'You switch lamps.' } },
    turns: [
      lamp('on', 'It is dark here.', 'switch_lamp', { id: 'hall', on: true }, 'The hall lamp is on.'),
      lamp('locked', 'switch the cellar lamp off', 'read_lamp', { id: 'cellar' }, 'It is locked.'),
    ],
  };
  const simulator = await startSimulator({ simulationDir: undefined, scripts: [script] });
  onTestFinished(() => simulator.close());
  process.env['LAMP_KEY'] = 'sk-lamp';
  const subject = {
    kind: 'openai',
    base_url: `${simulator.url}/v1`,
    model: 'lamp-4',
    key: 'LAMP_KEY',
    price: { input: 1, output: 4 },
  };
  const { dir, evaluate } = await project({ brief: { subject } });
  expect(await evaluate()).toBe(0);
  const results = await resultsIn(join(dir, 'evaluations/1'));
  expect(results).toMatchObject({ passed: 2, total: 2, simulated: false });
  expect(results.costUsd).toBeGreaterThan(0);
  const [start] = (await readFile(join(dir, 'evaluations/1/traces/turn-on.1.jsonl'), 'utf8')).split('\n');
  expect(JSON.parse(start ?? '')).toMatchObject({ model: `openai: lamp-4 at ${simulator.url}/v1` });
  const calls = readCalls(TrialCalls.parse(JSON.parse(await readFile(join(dir, CALLS), 'utf8'))), CALLS);
  expect(calls.map(({ by, step, tries }) => [by, step, tries.map(({ status }) => status)])).toEqual([
    ['subject', 1, [200]],
    ['subject', 2, [200]],
  ]);
  const asked = JSON.parse(calls[1]?.tries[0]?.request.toString() ?? '');
  expect(asked).toMatchObject({
    model: 'lamp-4',
    messages: [{ role: 'system' }, { role: 'user' }, {}, { role: 'tool' }],
  });
  const everything = await readFile(join(dir, 'evaluations/1/results.json'), 'utf8');
  expect(everything).not.toContain('sk-lamp');
  expect(calls.flatMap(({ tries }) => tries.map(String)).join()).not.toContain('sk-lamp');
  // What was finished before it was killed has its calls again; who wants none of it writes none.
  const before = await readFile(join(dir, CALLS), 'utf8');
  await rm(join(dir, 'evaluations/1/results.json'));
  expect(await evaluate()).toBe(0);
  expect(JSON.parse(await readFile(join(dir, CALLS), 'utf8'))).toMatchObject({ calls: [{ by: 'subject' }, {}] });
  expect(before.length).toBeLessThan(6_000);
  await mkdir(join(dir, '../../config'), { recursive: true });
  await writeFile(join(dir, '../../config/default.yaml'), 'version: 1\nrecord_calls: false\n');
  expect(await evaluate()).toBe(0);
  expect((await readdir(join(dir, 'evaluations/2/traces'))).toSorted()).toEqual([
    'locked-lamp.1.jsonl',
    'turn-on.1.jsonl',
  ]);
});

test('a sample that is left out makes no other one the fault of its checker', async () => {
  const subject = { kind: 'command', command: [process.execPath, 'idle.mjs'] };
  // Its gold path leaves the lamp off, which the checker of the other sample refuses.
  const dark = {
    ...turnOn,
    id: 'stay-dark',
    gold: [turnOn.gold[0]],
    expect: { ...turnOn.expect, end_state: 'unchanged' },
  };
  const { io, dir, evaluate } = await project({ brief: { subject }, files: { 'samples/stay-dark.json': dark } });
  expect(await evaluate({ provenOnly: true, json: true })).toBe(1);
  expect(io.json()).toMatchObject({ leftOut: ['stay-dark'] });
  const { samples, verification } = await resultsIn(join(dir, 'evaluations/1'));
  expect(verification.problems).toContainEqual(
    expect.objectContaining({ layer: 3, component: 'as-asked', sample: 'stay-dark' }),
  );
  expect(samples.find(({ id }) => id === 'turn-on')).toMatchObject({ outcome: 'fail', layer: 4 });
});

test('a changed program gets none of the results of the old one, and it is said why; a comparison says who changed', async () => {
  const subject = { kind: 'command', command: [process.execPath, 'idle.mjs'] };
  const { io, dir, evaluate } = await project({ brief: { subject } });
  const out = join(io.cwd, 'mine');
  expect(await evaluate({ out })).toBe(1);
  const first = await resultsIn(out);
  expect(first.passed).toBe(1);
  await blessCommand(out, { out: 'base.json' }, io);
  // As if it had been killed just before its end.
  const stop = async () => {
    await rm(join(out, 'results.json'));
    await mkdir(join(out, 'unfinished'));
  };
  await stop();
  expect(await evaluate({ out })).toBe(1);
  expect(io.errors).toContain(`Goes on in ${out}`);
  expect((await resultsIn(out)).subjectDigest).toBe(first.subjectDigest);

  await stop();
  await writeFile(join(dir, 'idle.mjs'), (await readFile(join(dir, 'idle.mjs'), 'utf8')).replaceAll('locked', 'gone'));
  expect(await evaluate({ out })).toBe(1);
  expect(io.errors).toContain('Begins anew: the subject has changed since the evaluation that is there (idle.mjs)');
  expect(await resultsIn(out)).toMatchObject({ passed: 0, total: 2 });
  io.lines.length = 0;
  await compareCommand(out, { failOn: 'never', baseline: 'base.json' }, io);
  expect(io.lines.at(-1)).toBe('  The subject has changed since the baseline');

  await stop();
  expect(await evaluate({ out, versionOf: 'v2' })).toBe(1);
  expect(io.errors).toContain('Begins anew: the subject has changed since the evaluation that is there (version)');
});

test('an agent whose files change while it is played is told of', async () => {
  const subject = { kind: 'command', command: [process.execPath, 'idle.mjs'] };
  const { io, dir, evaluate } = await project({ brief: { subject } });
  const program = await readFile(join(dir, 'idle.mjs'), 'utf8');
  const note = "import { appendFileSync } from 'node:fs';\nappendFileSync('notes.txt', 'played');\n";
  await writeFile(join(dir, 'idle.mjs'), `${note}${program}`);
  expect(await evaluate({ out: 'mine' })).toBe(1);
  const told = 'Changed while it was played: notes.txt. If that is the agent, its results are of two versions.';
  expect(io.errors).toContain(told);
});

test('components that have proven themselves are not proven again, wherever an evaluation writes', async () => {
  const { io, dir, evaluate } = await project();
  const proving = () => io.errors.filter((line) => line.startsWith('Proving the components')).length;
  expect(await evaluate({ subject: ['gold'], out: 'one' })).toBe(0);
  expect(await evaluate({ subject: ['gold'], out: 'two' })).toBe(0);
  expect(proving()).toBe(1);
  // The proof names the version that made it, so that an upgrade proves anew.
  const [proof = ''] = await readdir(join(dir, 'evaluations/proofs'));
  expect(proof).toMatch(new RegExp(`-${packageVersion()}-${RULES_VERSION}$`));
  const record = await readFile(join(dir, 'evaluations/proofs', proof, 'evaluation.json'), 'utf8');
  const { described } = JSON.parse(record) as { described: Record<string, unknown> };
  expect(described, 'no host is asked again').toMatchObject({ 'tools/switch_lamp.mjs': { name: 'switch_lamp' } });
  const tool = join(dir, 'simulation/files/i1/tools/switch_lamp.mjs');
  await writeFile(tool, `${await readFile(tool, 'utf8')}\n// changed`);
  expect(await evaluate({ subject: ['gold'], out: 'three' })).toBe(0);
  expect(proving()).toBe(2);
});
