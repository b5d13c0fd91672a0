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
