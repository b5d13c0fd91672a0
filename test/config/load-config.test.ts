import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findHome } from '../../src/config/home.ts';
import { sandboxOption } from '../../src/cli/options.ts';
import { loadAgent } from '../../src/config/load-agent.ts';
import { forBothAgents, loadConfig } from '../../src/config/load-config.ts';
import { scratch } from '../support/scratch.ts';

const home = findHome('.');

test('a profile changes what it names and nothing else', async () => {
  const [normal, demo] = [await loadConfig(home, {}), await loadConfig(home, { profile: 'demo' })];
  expect(demo.on_gate).toEqual({ tty: 'auto:demo', no_tty: 'auto:demo' });
  expect(demo.retry).toEqual(normal.retry);
  expect(normal.on_gate).toEqual({ tty: 'prompt', no_tty: 'exit' });
});

test('a flag wins over the profile, and the result is frozen', async () => {
  const config = await loadConfig(home, { profile: 'demo', flags: { on_gate: { no_tty: 'exit' } } });
  expect(config.on_gate).toEqual({ tty: 'auto:demo', no_tty: 'exit' });
  expect(Object.isFrozen(config.on_gate)).toBe(true);
});

test('the seed profile restores the numbers of the source design (S0.2)', async () => {
  const { agents } = await loadConfig(home, { profile: 'seed' });
  expect(agents).toEqual({
    init: { model: 'claude-opus-4-5', trigger: { tokens: 150_000 }, keep_steps: 3 },
    execute: { model: 'claude-sonnet-4-5', trigger: { tokens: 700_000 }, keep_steps: 5 },
  });
});

test('an unknown profile is a usage error that names the known ones', async () => {
  await expect(loadConfig(home, { profile: 'dmeo' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('demo, seed'),
  });
});

test("a project's own profile wins over the shipped one, and a broken one names file and line", async () => {
  const project = await scratch();
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/demo.yaml'), 'version: 1\nsamples_in_parallel: 2\n');
  expect(await loadConfig({ ...home, project }, { profile: 'demo' })).toMatchObject({
    samples_in_parallel: 2,
    endpoint: 'auto',
  });
  await writeFile(join(project, 'config/profiles/demo.yaml'), 'version: 1\nsamples_in_parallel: lots\n');
  await expect(loadConfig({ ...home, project }, { profile: 'demo' })).rejects.toThrow(
    /config\/profiles\/demo\.yaml:2: samples_in_parallel/,
  );
});

test('a slip in the name of an agent or a tool is refused with its line: it would have changed nothing', async () => {
  const project = await scratch();
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  const text = `version: 1
agents:
  inti: { max_steps: 5 }
  init:
    tools: [read, wirte, 'mcp:docs', 'plugin:x']
    subagent: { tools: [raed], max_loops: 2 }
`;
  await writeFile(join(project, 'config/profiles/mine.yaml'), text);
  const where = 'config/profiles/mine.yaml';
  await expect(loadConfig(findHome(project), { profile: 'mine' })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      new RegExp(
        `^${where}:3: agents.inti: no agent is named "inti". Did you mean "init".*\n` +
          `${where}:5: agents.init.tools.1: no tool is named "wirte". Did you mean "write".*\n` +
          `${where}:6: agents.init.subagent.tools.0: no tool is named "raed". Did you mean "read"[^\n]*$`,
      ),
    ),
  });
});

test("a project's own default.yaml names only what it changes, and its tandem.yaml the profile that is taken", async () => {
  const project = await scratch();
  await mkdir(join(project, 'config'), { recursive: true });
  await writeFile(join(project, 'config/default.yaml'), 'version: 1\nretry: { call_tries: 2 }\n');
  const own = { ...home, project };
  const shipped = await loadConfig(home, {});
  expect(await loadConfig(own, {})).toEqual({ ...shipped, retry: { ...shipped.retry, call_tries: 2 } });
  await writeFile(join(project, 'tandem.yaml'), 'version: 1\nname: mine\ndefaults: { profile: demo }\n');
  expect(await loadConfig(own, {})).toMatchObject({ endpoint: 'simulated', retry: { call_tries: 2 } });
  expect((await loadConfig(own, { profile: 'seed' })).endpoint).toBe('auto');
  await writeFile(join(project, 'config/default.yaml'), 'version: 1\nsamples_in_paralel: 2\n');
  await expect(loadConfig(own, {})).rejects.toThrow(
    'config/default.yaml:2: samples_in_paralel: no such key. Did you mean "samples_in_parallel"?',
  );
});

test('a sandbox that was removed is refused, and what to use instead is said', async () => {
  const project = await scratch();
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/old.yaml'), 'sandbox: { use: runtime }\n');
  await expect(loadConfig({ ...home, project }, { profile: 'old' })).rejects.toMatchObject({
    message: expect.stringMatching(/use: the sandbox "runtime" was removed: use bubblewrap \(Linux\), or quickjs/),
  });
  const parse = sandboxOption().parseArg;
  expect(() => parse?.('runtime', undefined as never)).toThrow('the sandbox "runtime" was removed');
  expect(() => parse?.('qickjs', undefined as never)).toThrow('expected one of auto, bubblewrap, quickjs');
  expect(parse?.('quickjs', undefined as never)).toBe('quickjs');
});

/** Where `execute` compacts, and what it keeps, with these words over the shipped configuration. */
async function numbersOf(
  flags: Parameters<typeof loadConfig>[1]['flags'],
  more: { env?: Record<string, string>; profile?: string } = {},
) {
  const { policy } = await loadAgent(home, 'execute', await loadConfig(home, { ...more, flags: flags ?? {} }));
  const { ratio, tokens, messages } = policy.trigger;
  return { ratio, tokens, messages, steps: policy.keep.steps, share: policy.keep.share, name: policy.name };
}

test("a policy's number holds unless the agent says another (S1.10, S1.15, S2.9)", async () => {
  const own = { steps: 5, share: 0.7, tokens: undefined, messages: undefined };
  expect(await numbersOf({})).toEqual({ ...own, name: 'two-agent', ratio: 0.7 });
  const of = (policy: string) => numbersOf({ agents: forBothAgents({ policy }) });
  expect(await of('layered')).toEqual({ ...own, name: 'layered', ratio: 0.8 });
  expect(await of('selective')).toEqual({ ...own, name: 'selective', ratio: 0.8 });
  expect(await of('budgeted')).toEqual({ ...own, name: 'budgeted', ratio: 0.85 });
  // These name none of their own: the agent's hold.
  expect(await of('native')).toEqual({ ...own, name: 'native', ratio: 0.7 });
  expect(await of('windowed')).toEqual({ ...own, name: 'windowed', ratio: 0.7, messages: 40 });
  const said = { policy: 'layered', trigger: { tokens: 90_000 }, keep_steps: 2, keep_share: 0.4 };
  expect(await numbersOf({ agents: forBothAgents(said) })).toEqual({
    ...{ name: 'layered', ratio: undefined, tokens: 90_000, messages: undefined, steps: 2, share: 0.4 },
  });
  expect(await numbersOf({}, { profile: 'demo' })).toMatchObject({
    name: 'demo',
    ratio: undefined,
    tokens: 20_000,
    steps: 5,
  });
});

test('the variables of the source designs count where a policy has such a limit (S1.8, S3.2)', async () => {
  const env = { MAX_MESSAGE_HISTORY: '60', TANDEM_KEEP_TURNS: '14' };
  expect(await numbersOf({ agents: forBothAgents({ policy: 'windowed' }) }, { env })).toMatchObject({ messages: 60 });
  expect(await numbersOf({}, { env })).toMatchObject({ messages: undefined });
  const config = await loadConfig(home, { env, flags: { agents: forBothAgents({ policy: 'layered' }) } });
  const { policy } = await loadAgent(home, 'init', config);
  expect(policy.passes).toContainEqual({ pass: 'keep-latest-turns', turns: 14 });
  for (const name of ['chat', 'session']) expect(config.agents[name]).toMatchObject({ messages: 60, keep_turns: 14 });
  await expect(loadConfig(home, { env: { MAX_MESSAGE_HISTORY: '101' } })).rejects.toMatchObject({ code: 'usage' });
});

test('what another user wrote, or everybody can, does not take the walls away', async () => {
  const project = await scratch();
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  for (const name of ['default', 'profiles/fast'])
    await writeFile(join(project, `config/${name}.yaml`), 'version: 1\nsandbox: { allow_unsandboxed: true }\n');
  const own = { ...findHome('.'), project };
  expect((await loadConfig(own, {})).sandbox.allow_unsandboxed).toBe(true);
  const path = join(project, 'config/profiles/fast.yaml');
  await chmod(path, 0o666);
  const refused = { code: 'config_invalid', message: expect.stringMatching(/fast\.yaml says .* the sandbox stays on/) };
  await expect(loadConfig(own, { profile: 'fast' })).rejects.toMatchObject(refused);
  await chmod(path, 0o644);
  const me = process.getuid?.() ?? 0;
  // Who may give files away does; for anybody else the files are those of somebody else.
  if (me === 0) await chown(path, 65_534, 65_534);
  else vi.spyOn(process, 'getuid').mockReturnValue(me + 1);
  await expect(loadConfig(own, { profile: 'fast' })).rejects.toMatchObject({ code: 'config_invalid' });
  vi.restoreAllMocks();
});

test('what others can write to names no server of tools: it is a program that would run as us', async () => {
  const project = await scratch();
  await mkdir(join(project, 'config'), { recursive: true });
  const path = join(project, 'config/default.yaml');
  await writeFile(path, 'version: 1\nmcp: { docs: { command: [node, server.mjs] } }\n');
  const own = { ...findHome('.'), project };
  expect(Object.keys((await loadConfig(own, {})).mcp)).toEqual(['docs']);
  await chmod(path, 0o666);
  const message = expect.stringMatching(/default\.yaml names servers of tools .* another user can write/);
  await expect(loadConfig(own, {})).rejects.toMatchObject({ code: 'config_invalid', message });
});
