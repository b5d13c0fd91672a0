import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identifySubject } from '../../../src/app/evaluation/subject-identity.ts';
import { SubjectBrief } from '../../../src/scenario/subject.ts';
import { scratch } from '../../support/scratch.ts';

async function agentFolder() {
  const scenarioDir = await scratch();
  for (const [path, text] of Object.entries({
    'agent/main.mjs': 'import "./lib/words.mjs";',
    'agent/lib/words.mjs': 'export {};',
    'agent/node_modules/a/index.mjs': '',
    'agent/.cache/x': '',
    'notes.md': '',
    'scenario.yaml': '',
    'runs/1/journal': '',
  })) {
    await mkdir(join(scenarioDir, path, '..'), { recursive: true });
    await writeFile(join(scenarioDir, path), text);
  }
  const command = ['node', 'agent/main.mjs', '--fast'];
  const identify = (more: object = {}, version?: string) =>
    identifySubject({ subject: SubjectBrief.parse({ kind: 'command', command, ...more }), scenarioDir, version });
  return { scenarioDir, identify };
}

test('a command is its settings and the files around the program, without what is derived or belongs to runs', async () => {
  const { scenarioDir, identify } = await agentFolder();
  const first = await identify();
  expect(Object.keys(first).toSorted()).toEqual(['agent/lib/words.mjs', 'agent/main.mjs', 'settings']);
  await writeFile(join(scenarioDir, 'notes.md'), 'other');
  expect(await identify()).toEqual(first);
  await writeFile(join(scenarioDir, 'agent/lib/words.mjs'), 'export const other = 1;');
  const second = await identify();
  expect(second['agent/main.mjs']).toBe(first['agent/main.mjs']);
  expect(second['agent/lib/words.mjs']).not.toBe(first['agent/lib/words.mjs']);
  expect((await identify({ seconds: 7 }))['settings']).not.toBe(first['settings']);
  expect(Object.keys(await identify({ command: ['node', 'notes.md'] }))).toContain('agent/main.mjs');
  expect(Object.keys(await identify({ command: ['node', 'notes.md'] }))).not.toContain('scenario.yaml');
});

test('a version is any text, or the content of a file or folder', async () => {
  const { scenarioDir, identify } = await agentFolder();
  const about = async (version: string) => (await identify({}, version))['version'];
  expect(await about('v1')).not.toBe(await about('v2'));
  const folder = join(scenarioDir, 'agent/lib');
  const before = await about(folder);
  expect(await about(folder)).toBe(before);
  await writeFile(join(folder, 'more.mjs'), '');
  expect(await about(folder)).not.toBe(before);
  await rm(join(folder, 'more.mjs'));
  expect(await about(folder)).toBe(before);
});
