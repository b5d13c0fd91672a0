/** `tandem.config`: read once, and each fault in it, or in what it names, has its file and a way out. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHome, type Home } from '../../src/config/home.ts';
import { findPlugin, loadPlugins } from '../../src/config/load-plugins.ts';
import { scratch } from '../support/scratch.ts';

async function project(text: string, name = 'tandem.config.mjs'): Promise<Home> {
  const dir = await scratch();
  await writeFile(join(dir, name), text);
  return findHome(dir);
}
const refused = (message: RegExp) => ({ code: 'config_invalid', message: expect.stringMatching(message) as unknown });

test('a project without the file has no plugins', async () => {
  expect(await loadPlugins(findHome(await scratch()))).toMatchObject({ file: undefined, tools: {}, passes: {} });
});

test('what the file adds is found by kind and name; another name is refused with the nearest', async () => {
  const plugins = await loadPlugins(await project('export default { subjects: { teams() { return 1; } } };'));
  expect(findPlugin(plugins, { kind: 'subjects', name: 'teams' }, 'x')).toBeTypeOf('function');
  expect(() => findPlugin(plugins, { kind: 'subjects', name: 'teems' }, 'scenario.yaml:3')).toThrow(
    'scenario.yaml:3: no plugin subjects.teems in tandem.config.mjs. Did you mean "teams"? There are: teams.',
  );
  expect(() => findPlugin(plugins, { kind: 'tools', name: 'constructor' }, 'x')).toThrow('There are: none.');
});

test.each([
  ['export default { subject: {} };', /^tandem\.config\.mjs:1: default export: .*Did you mean "subjects"\?/],
  [
    'export default {\n  notices: {},\n};',
    /^tandem\.config\.mjs:2: .*This kind was removed: send notices to a webhook/,
  ],
  ['export default {\n  passes: { mine: 3 },\n};', /^tandem\.config\.mjs:2: passes\.mine: expected a function/],
  ['export default {\n  tools: {\n    look: { run() {} },\n  },\n};', /tools\.look\.description/],
  ['export default { tools: { "Look Up": {} } };', /small letters/],
  ['export default [];', /^tandem\.config\.mjs: default export:/],
  ['throw new Error("not today");', /^tandem\.config\.mjs:1: cannot be loaded: not today/],
  ['export default Promise.reject(new Error("not now"));', /^tandem\.config\.mjs(?::1)?: cannot be loaded: not now/],
  ['import "./not-there.mjs";', /cannot be loaded: .*not-there/],
])('%j is refused with its place', async (text, message) => {
  await expect(loadPlugins(await project(text))).rejects.toMatchObject(refused(message));
});

test('two files are one too many', async () => {
  const home = await project('export default {};');
  await writeFile(join(home.project, 'tandem.config.ts'), 'export default {};');
  await expect(loadPlugins(home)).rejects.toMatchObject(refused(/tandem\.config\.ts and tandem\.config\.mjs/));
});

test('what a plugin throws is named with the line of its own file', async () => {
  const home = await project('export { default } from "./plugins/all.mjs";');
  await mkdir(join(home.project, 'plugins'));
  const text =
    'export default {\n  subjects: {\n    loud() {\n      throw new TypeError("no paper");\n    },\n  },\n};';
  await writeFile(join(home.project, 'plugins/all.mjs'), text);
  const plugins = await loadPlugins(home);
  const send = findPlugin(plugins, { kind: 'subjects', name: 'loud' }, 'x') as () => never;
  expect(() => {
    try {
      send();
    } catch (error) {
      throw plugins.fault('subjects', 'loud', error);
    }
  }).toThrow('plugins/all.mjs:4: the plugin subjects.loud failed: no paper');
  expect(plugins.fault('subjects', 'loud', 'a text').message).toBe(
    'tandem.config.mjs: the plugin subjects.loud failed: a text',
  );
});

test.each([
  ['the file', 'tandem.config.mjs', 0o666],
  ['the project', '.', 0o777],
])('%s that everybody can write to is not run', async (_what, path, mode) => {
  const home = await project('globalThis.tandemRanIt = true; export default {};');
  await chmod(join(home.project, path), mode);
  await expect(loadPlugins(findHome(home.project))).rejects.toMatchObject(refused(/can write to it/));
  expect(globalThis).not.toHaveProperty('tandemRanIt');
});
