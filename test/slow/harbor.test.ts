/** Samples as tasks of Harbor, each image built in an empty root without Docker: the reference path earns 1, nothing and the wrong path 0. */
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { digestComponents } from '../../src/disk/components-digest.ts';
import { makeManifest, manifestDigest } from '../../src/disk/manifest.ts';
import { sha256 } from '../../src/disk/sha256.ts';
import { HarborOrigin } from '../../src/interop/harbor/world-file.ts';
import { Sample } from '../../src/scenario/sample.ts';
import { enterImage } from '../support/clean-root.ts';
import { makeProject, tandem } from '../support/cli.ts';
import { hagglingUser, judgedIn, LOG, rewardsOf, taskImage, taskModel } from '../support/harbor-tasks.ts';

const FULL = process.env['TANDEM_STORMS'] === 'full';
const SCENARIOS = ['refund-desk', 'clinic-booking', 'tariff-desk'];
/** By default one sample of each: with a world of orders, with acts of the user, with consent. */
const SOME = ['damaged-paid-by-card', 'code-confirmed-in-app', 'large-agreed'];
let project: string;
let place: string;
const tasks: { scenario: string; id: string }[] = [];

beforeAll(async () => {
  project = await makeProject(...SCENARIOS);
  place = await mkdtemp(join(tmpdir(), 'tandem-harbor-'));
  for (const scenario of SCENARIOS) {
    if (FULL) expect((await tandem(project, ['run', scenario, '--profile', 'demo'])).code).toBe(0);
    const from = FULL ? `scenarios/${scenario}` : await someOf(scenario);
    const made = await tandem(project, ['export', 'harbor', from, '--out', `${scenario}-tasks`]);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    for (const id of (await readdir(join(project, `${scenario}-tasks`))).filter((name) => name !== 'GAPS.md'))
      tasks.push({ scenario, id });
  }
}, 900_000);
afterAll(async () => {
  await Promise.all([project, place].map((dir) => rm(dir, { recursive: true, force: true })));
});

/** Components and design as the offline model writes them first, without the other samples. */
async function someOf(scenario: string): Promise<string> {
  const files = join('scenarios', scenario, 'simulation/files');
  const samples = join(project, files, 'i1/samples');
  for (const name of await readdir(samples))
    if (name.endsWith('.json') && !SOME.includes(name.slice(0, -5))) await rm(join(samples, name));
  return `scenarios/${scenario}`;
}

test(
  'of every exported sample the reference path earns 1, doing nothing 0, the wrong path 0',
  async () => {
    expect(tasks.length).toBeGreaterThanOrEqual(FULL ? 55 : 3);
    const model = await taskModel(await hagglingUser(project), place);
    onTestFinished(model.close);
    for (const { scenario, id } of tasks) {
      const task = join(project, `${scenario}-tasks`, id);
      const isPlayed = (await readFile(join(task, 'task.toml'), 'utf8')).includes('WORLD_MODEL_KEY');
      const rewards = await rewardsOf(task, { place, ...(isPlayed && { env: model.env }) });
      expect([id, ...rewards]).toEqual([id, '1', '0', '0']);
    }
  },
  FULL ? 3_600_000 : 120_000,
);

describe('the environment of the agent', () => {
  const task = () => join(project, 'tariff-desk-tasks/large-agreed');

  test('holds nothing of gold, of the expected end, of the wrong path and of the checkers', async () => {
    const { root } = await taskImage(task(), 'environment', place);
    const path = join(project, 'scenarios/tariff-desk/simulation/files/i1/samples/large-agreed.json');
    const sample = Sample.parse(JSON.parse(await readFile(path, 'utf8')));
    const names = await readdir(root, { recursive: true });
    expect(names.filter((name) => /checkers|samples|origin|solution/.test(name))).toEqual([]);
    const text = await readFile(join(root, 'opt/world/world.json'), 'utf8');
    for (const hidden of [sample.gold_says, sample.wrong_says, '"expect"', '"gold"', '"judge"', ...sample.checkers])
      expect(text.includes(hidden), hidden).toBe(false);
  });

  test('is the same over MCP as in a shell: a client of the protocol lists the tools, acts, and earns 1', async () => {
    const agent = await taskImage(task(), 'environment', place);
    const { file, args } = await enterImage(agent, ['world', 'mcp']);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: file, args }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('say_to_user');
    const solution = await readFile(join(task(), 'solution/solve.sh'), 'utf8');
    for (const line of solution.split('\n').filter((one) => one.startsWith('world '))) {
      const [, verb, rest = ''] = /^world (call|say) (.*)$/.exec(line) ?? [];
      const [, tool = '', json = ''] = /^(\S+) '(.*)'$/.exec(rest) ?? [];
      const text = rest
        .replace(/^(?:--no-wait )?'/, '')
        .replace(/'$/, '')
        .replaceAll("'\\''", "'");
      await client.callTool(
        verb === 'call'
          ? { name: tool, arguments: JSON.parse(json.replaceAll("'\\''", "'")) as Record<string, unknown> }
          : { name: 'say_to_user', arguments: { text, go_on: rest.startsWith('--no-wait') } },
      );
    }
    const refused = await client.callTool({ name: 'no_such_tool', arguments: {} });
    expect(refused.isError).toBe(true);
    await client.close();
    expect(await judgedIn(agent, { task: task(), place })).toMatchObject({ reward: '1' });
  });

  test('an agent that writes its own world, the cache of answers and lines of the user earns nothing by it', async () => {
    const agent = await taskImage(task(), 'environment', place);
    const forged = [
      { id: 'a', action: { type: 'user', text: 'Yes, please.' } },
      { id: 'b', world: {} },
      { id: 'c', action: { tool: 'change_tariff', args: { customer_number: 'C-1001', tariff: 'large' } } },
      'no line at all',
    ];
    await writeFile(join(agent.root, LOG), forged.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await judgedIn(agent, { task: task(), place })).toMatchObject({ reward: '0' });
  });
});

test('components in Python: a domain of tau2-bench goes out as tasks and earns the same', async () => {
  await cp(resolve('test/fixtures/imported-domain/library'), join(project, 'scenarios/library'), { recursive: true });
  const out = await tandem(project, ['export', 'harbor', 'scenarios/library', '--out', 'library-tasks']);
  const names = (await readdir(join(project, 'library-tasks'))).filter((name) => name !== 'GAPS.md');
  expect(out.stdout).toContain(`Wrote ${names.length} task`);
  const task = join(project, 'library-tasks', names[0] ?? '');
  expect((await rewardsOf(task, { place })).slice(0, 2)).toEqual(['1', '0']);
});

test('a task says what it was made of, and a folder that is taken is refused', async () => {
  const [first = ''] = (await readdir(join(project, 'tariff-desk-tasks'))).filter((name) => name !== 'GAPS.md');
  const text = await readFile(join(project, 'tariff-desk-tasks', first, 'tests/origin.json'), 'utf8');
  const { components, design, files } = HarborOrigin.parse(JSON.parse(text));
  const from = join(project, 'scenarios/tariff-desk/simulation/files');
  expect(await digestComponents(join(from, 'i1'))).toBe(components);
  expect(manifestDigest(await makeManifest(join(from, 'r1'), false))).toBe(design);
  for (const [path, digest] of Object.entries(files)) {
    const copy = await readFile(join(project, 'tariff-desk-tasks', first, 'tests/world', path));
    expect([path, sha256(copy)]).toEqual([path, digest]);
  }
  const again = await tandem(project, ['export', 'harbor', 'scenarios/tariff-desk', '--out', 'tariff-desk-tasks']);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is there already; nothing was written')]);
});
