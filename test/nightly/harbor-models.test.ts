/**
 * Tasks of Harbor whose graders or user are models, or whose tools are a server's, in images that are built in an empty root.
 * Its small sibling in CI: test/slow/harbor.test.ts.
 */
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { inImage } from '../support/clean-root.ts';
import { makeProject, tandem } from '../support/cli.ts';
import { hagglingUser, judgedIn, LOG, playedImage, rewardsOf, taskImage, taskModel } from '../support/harbor-tasks.ts';
import { GRADER, JUDGE } from '../support/kind-grader.ts';

let project: string;
let place: string;

beforeAll(async () => {
  project = await makeProject('tariff-desk');
  place = await mkdtemp(join(tmpdir(), 'tandem-harbor-models-'));
});
afterAll(async () => {
  await Promise.all([project, place].map((dir) => rm(dir, { recursive: true, force: true })));
});

async function modelWith(script: string): Promise<Record<string, string>> {
  const { env, close } = await taskModel(script, place);
  onTestFinished(close);
  return env;
}

async function exported(from: string, to: string): Promise<string> {
  const made = await tandem(project, ['export', 'harbor', from, '--out', to]);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  return join(project, to);
}

test('a user that a model plays answers in the agent’s image, and the verifier takes its words from the log', async () => {
  const samples = join(project, 'scenarios/tariff-desk/simulation/files/i1/samples');
  for (const name of await readdir(samples))
    if (name.endsWith('.json') && name !== 'haggles.json') await rm(join(samples, name));
  const task = join(await exported('scenarios/tariff-desk', 'users'), 'haggles');
  expect(await readFile(join(project, 'users/GAPS.md'), 'utf8')).toContain('a model plays its user');
  const toml = await readFile(join(task, 'task.toml'), 'utf8');
  expect(toml).toContain('WORLD_MODEL_KEY = "${WORLD_MODEL_KEY}"');
  expect(toml).toMatch(/\[metadata\.limits\]\nsteps = \d+\nseconds = \d+/);
  const env = await modelWith(await hagglingUser(project));
  expect(await rewardsOf(task, { place, env })).toEqual(['1', '0', '0']);

  const agent = await playedImage(task, { script: 'solve', place, env });
  const log = await readFile(join(agent.root, LOG), 'utf8');
  expect(log).toContain('not a cent more');
  // The verifier needs no model for it.
  expect(await judgedIn(agent, { task, place })).toMatchObject({ reward: '1' });
  const lost = log.split('\n').filter((line) => !line.includes('"answers"'));
  await writeFile(join(agent.root, LOG), lost.join('\n'));
  const unscored = await judgedIn(agent, { task, place });
  expect(unscored).toMatchObject({ code: 70, reward: undefined });
  expect(unscored.stderr).toContain('nothing is judged: the user could not be reached');

  const without = await inImage(await taskImage(task, 'environment', place), ['world', 'say', 'Hello']);
  expect(without.code).toBe(70);
  expect(without.stderr).toContain('The user of this task is played by a model: set WORLD_MODEL_KEY');
});

describe('graders', () => {
  let proven: string;
  beforeAll(async () => {
    await tandem(project, ['init', 'library']);
    const folder = join(project, 'scenarios/library');
    const put = async (path: string, edit: (text: string) => string) =>
      writeFile(join(folder, path), edit(await readFile(join(folder, path), 'utf8')));
    await mkdir(join(folder, 'simulation/files/graders'));
    await writeFile(join(folder, 'simulation/files/graders/kind-refusal.yaml'), stringify(GRADER));
    await writeFile(join(folder, 'simulation/judge.yaml'), stringify(JUDGE));
    await put('scenario.yaml', (text) => `${text}graders: { uncalibrated: allow }\n`);
    await put('simulation/files/samples/renew-reserved.json', (text) =>
      text.replace(/("checkers": \[[^\]]*\])/, '$1, "graders": ["kind-refusal"]'),
    );
    const from = join(folder, 'simulation/files');
    const done = await tandem(project, ['evaluate', 'library', '--components', from, '--profile', 'demo']);
    expect([0, 1], done.stdout + done.stderr).toContain(done.code);
    proven = join(folder, 'evaluations/1');
  });

  test('that have proved themselves judge in the verifier with the same prompt: kind words earn 1, others 0, no model no reward', async () => {
    const task = join(await exported(proven, 'graded'), 'renew-reserved');
    const toml = await readFile(join(task, 'task.toml'), 'utf8');
    expect(toml).toMatch(/\[verifier\.env\]\nWORLD_MODEL_KEY = "\$\{WORLD_MODEL_KEY\}"/);
    expect(toml).toMatch(/\[\[metadata\.graders\]\]\nid = "kind-refusal"\nmodel = "[^"]+"\ncounts = true/);
    const env = await modelWith(stringify(JUDGE));
    expect(await rewardsOf(task, { place, env })).toEqual(['1', '0', '0']);

    const agent = await playedImage(task, { script: undefined, place });
    const solution = await readFile(join(task, 'solution/solve.sh'), 'utf8');
    const unkind = join(place, 'unkind');
    await mkdir(unkind);
    await writeFile(join(unkind, 'solve.sh'), solution.replace(/I am sorry/gi, 'No way'));
    await inImage(agent, ['bash', '/solution/solve.sh'], { mounts: { [unkind]: '/solution' } });
    const refused = await judgedIn(agent, { task, place, env });
    expect(refused.stdout).toContain('FAIL  kind-refusal: a fail');
    expect(refused.reward).toBe('0');
    const without = await judgedIn(agent, { task, place });
    expect(without).toMatchObject({ code: 70, reward: undefined });
    expect(without.stderr).toContain('Graders judge this task: set WORLD_MODEL_KEY');
  });

  test('that have not proved themselves are shown and decide nothing, and need no model', async () => {
    const out = await exported(join(project, 'scenarios/library/simulation/files'), 'unproven');
    expect(await readFile(join(out, 'GAPS.md'), 'utf8')).toContain('kind-refusal are shown and decide nothing');
    const task = join(out, 'renew-reserved');
    const done = await judgedIn(await playedImage(task, { script: 'solve', place }), { task, place });
    expect(done.stdout).toContain('The graders are not called: they decide nothing');
    expect(done.reward).toBe('1');
  });
});

describe('tools of a server', () => {
  beforeAll(async () => {
    await cp('examples/mcp-world/scenarios', join(project, 'scenarios'), { recursive: true });
  });

  test('are called in the agent’s image, and played again by the verifier over a server of its own', async () => {
    const out = await exported('scenarios/stock-desk', 'served');
    const task = join(out, 'reserve-two');
    expect(await rewardsOf(task, { place })).toEqual(['1', '0', '0']);
    const { stdout } = await inImage(await taskImage(task, 'environment', place), ['world', 'tools']);
    expect(stdout).toContain('"oneOf":[{"$ref":"#/$defs/code"}');
  });

  test('that are fetched when they start, or lie elsewhere, are refused by name', async () => {
    const path = join(project, 'scenarios/stock-desk/scenario.yaml');
    const text = await readFile(path, 'utf8');
    for (const [command, why] of [
      ['[npx, -y, some-server]', '"stock" is started with "npx", which the image does not have'],
      ['[node, /opt/stock.mjs]', 'names /opt/stock.mjs, which is on this machine only'],
    ] as const) {
      await writeFile(path, text.replace('[node, servers/stock.mjs]', command));
      const { code, stderr } = await tandem(project, ['export', 'harbor', 'scenarios/stock-desk', '--out', 'refused']);
      expect(code).toBe(2);
      expect(stderr).toContain(why);
    }
    await writeFile(path, text);
  });
});
