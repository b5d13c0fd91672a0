/** Memory and skills are off until an agent's own file asks for them (S3.12, S4.2). */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHome, type Home } from '../../src/config/home.ts';
import { loadAgent } from '../../src/config/load-agent.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { scratch } from '../support/scratch.ts';

const shipped = findHome('.');

async function withAgent(more: string): Promise<Home> {
  const project = await scratch();
  await cp('agents/execute', join(project, 'agents/execute'), { recursive: true });
  const path = join(project, 'agents/execute/agent.yaml');
  await writeFile(path, `${await readFile(path, 'utf8')}${more}`);
  return { project, shipped: shipped.shipped };
}

const load = async (home: Home) => loadAgent(home, 'execute', await loadConfig(home, {}));

test('the shipped agents have neither, and their policies bring none', async () => {
  const { definition, policy, skills } = await load(shipped);
  expect(definition).not.toHaveProperty('memory');
  expect(policy.layers).toMatchObject({ skills: false });
  expect(policy.layers.memory).toBeUndefined();
  expect(definition.tools).not.toContain('skill');
  expect(skills).toBeUndefined();
});

test('memory: {} asks for a few short memories of what earlier runs left', async () => {
  const { definition, policy } = await load(await withAgent('memory: {}\n'));
  expect(definition.memory).toEqual({ limit: 5, tokens: 1000, level: 'session' });
  expect(policy.layers.memory).toEqual({ limit: 5, tokens: 1000 });
});

test('a folder of skills brings the tool and the list', async () => {
  const home = await withAgent('skills: { folder: skills }\n');
  await mkdir(join(home.project, 'skills/pdf'), { recursive: true });
  await writeFile(join(home.project, 'skills/pdf/SKILL.md'), '---\nname: pdf\ndescription: d\n---\nx\n');
  const { definition, policy, skills } = await load(home);
  expect(definition.tools.filter((name) => name === 'skill')).toHaveLength(1);
  expect(policy.layers.skills).toBe(true);
  expect(skills?.map(({ name }) => name)).toEqual(['pdf']);
});

test.each([
  ['memory: { limit: 100 }', /agent\.yaml:\d+: memory\.limit/],
  ['memory: { level: all }', /agent\.yaml:\d+: memory\.level/],
  ['skills: {}', /agent\.yaml:\d+: skills\.folder/],
  ['skills: { folder: ../x }', /skills\.folder "\.\.\/x"/],
])('%s is refused with its place', async (yaml, message) => {
  await expect(load(await withAgent(`${yaml}\n`))).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(message),
  });
});

test('a profile changes whatever the file has, and what it makes of it is checked as the file is', async () => {
  const project = await scratch();
  const write = async (agent: string) => {
    await mkdir(join(project, 'config/profiles'), { recursive: true });
    await writeFile(join(project, 'config/profiles/mine.yaml'), `version: 1\nagents: { execute: ${agent} }\n`);
    const home = { project, shipped: shipped.shipped };
    return loadAgent(home, 'execute', await loadConfig(home, { profile: 'mine' }));
  };
  const more = 'tools: [read, call_subagent], max_steps: 7, reminders: 0, memory: { limit: 2 }';
  const { definition, policy, subagent } = await write(`{ ${more}, subagent: { tools: [read], max_loops: 3 } }`);
  expect(definition).toMatchObject({ tools: ['read', 'call_subagent'], max_steps: 7, reminders: 0 });
  expect(policy.layers.memory).toEqual({ limit: 2, tokens: 1000 });
  expect(subagent?.agent.definition).toMatchObject({ tools: ['read'], max_steps: 3 });
  await expect(write('{ tools: [raed] }')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('no tool is named "raed". Did you mean "read"?'),
  });
  await expect(write('{ toolz: [read] }')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/mine\.yaml:2: agents\.execute\.toolz: no such key\. Did you mean "tools"\?/),
  });
  // What is wrong only together with agent.yaml or mcp: has the profile's line too.
  await expect(write('\n  { tools: [read, call_subagent] }')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      /^config\/profiles\/mine\.yaml:3: agents\.execute\.tools: call_subagent needs to know .* add `subagent:/,
    ),
  });
  const servers = 'mcp: { stock: { command: [node, s.mjs] } }\n';
  await writeFile(join(project, 'config/default.yaml'), `version: 1\n${servers}`);
  await expect(write("{ tools: [read, 'mcp:stok'] }")).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      /^config\/profiles\/mine\.yaml:2: agents\.execute\.tools\.1: no server .* Did you mean "mcp:stock"\?/,
    ),
  });
});
