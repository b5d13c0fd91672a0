/** What the ground of the project promises: its dependencies, its top level, its prompts as files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findHome } from '../src/config/home.ts';
import { loadPrompts } from '../src/config/load-prompts.ts';

type Versions = Record<string, string>;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Versions
>;

test('stands on the libraries and has the top level that the design card names (C.1)', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(
    expect.arrayContaining(['@anthropic-ai/sdk', 'bullmq', 'ioredis', 'yaml', 'zod', 'p-retry']),
  );
  for (const name of ['package.json', 'tsconfig.json', 'agents', 'scenarios', 'src', 'prompts', 'config', 'test']) {
    expect(existsSync(name), name).toBe(true);
  }
});

test('dependencies are ranges that an application can share, tools are pinned, and nothing takes any version', () => {
  expect(Object.entries(manifest.dependencies).filter(([, version]) => !/^\^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(
    Object.entries(manifest.devDependencies).filter(([, version]) => !/^\^?\d+(\.\d+\.\d+)?$/.test(version)),
  ).toEqual([]);
});

test('prompts are files: each is read, each tool of an agent is described in one, and no reminder stands in code (S1.17)', async () => {
  const prompts = await loadPrompts(findHome('.'));
  for (const [name, text] of Object.entries(prompts))
    if (typeof text === 'string') expect(text.trim(), name).not.toBe('');
  const { tools: files } = parse(readFileSync('prompts/file_tools.yaml', 'utf8')) as { tools: object };
  for (const agent of ['init', 'execute', 'chat']) {
    const { tools } = parse(readFileSync(`agents/${agent}/agent.yaml`, 'utf8')) as { tools: string[] };
    expect(tools.filter((tool) => !Object.hasOwn(files, tool) && !Object.hasOwn(prompts.tools, tool))).toEqual([]);
  }
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const told = sources.filter((path) =>
    /<system[_-]reminder>|You are (?:Init|Execute)/.test(readFileSync(join('src', path), 'utf8')),
  );
  expect(told).toEqual([]);
});
