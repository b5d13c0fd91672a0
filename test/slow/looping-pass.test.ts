/** A pass of a plugin that loops for ever: it is ended, and its plugin is named. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPluginPasses } from '../../src/config/load-plugins.ts';
import { loadPolicy } from '../../src/config/load-agent.ts';
import type { Home } from '../../src/config/home.ts';

const CONFIG = 'export default { passes: { *loops() { for (;;); } } };';

let home: Home;
beforeAll(async () => {
  const project = await mkdtemp(join(tmpdir(), 'plugin-loops-'));
  await writeFile(join(project, 'tandem.config.mjs'), CONFIG);
  home = { project, shipped: resolve('.') };
});
afterAll(() => rm(home.project, { recursive: true }));

test('a pass that loops is ended, and its step fails with its name', async () => {
  const shipped = await loadPolicy(home, 'two-agent');
  const pass = { pass: 'plugin' as const, plugin: 'loops', options: {} };
  const passes = await loadPluginPasses(home, { ...shipped, passes: [pass] });
  const proposed = passes?.['loops']?.(undefined as never, undefined as never) ?? [];
  expect(() => [...proposed]).toThrow(/the plugin passes\.loops failed: it did not come back within 10 s/);
});
