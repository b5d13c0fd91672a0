/** Code of a plugin that loops for ever: it is ended, its plugin is named, and what else runs goes on. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { threadedPlugin } from '../../src/app/plugins/threads.ts';
import { loadPluginPasses } from '../../src/config/agent-plugins.ts';
import { loadPolicy } from '../../src/config/load-agent.ts';
import type { Home } from '../../src/config/home.ts';

const CONFIG = `const shape = { description: 'x', input_schema: { type: 'object' } };
const stuck = () => { for (;;); };
export default {
  tools: {
    loops: { ...shape, async run({ now }) { await null; if (now) stuck(); return 'here again'; } },
    other: { ...shape, run: () => 'at work' },
  },
  passes: { *loops() { stuck(); } },
};
`;

let home: Home;
beforeAll(async () => {
  const project = await mkdtemp(join(tmpdir(), 'plugin-loops-'));
  await writeFile(join(project, 'tandem.config.mjs'), CONFIG);
  home = { project, shipped: resolve('.') };
});
afterAll(() => rm(home.project, { recursive: true }));

test('a tool that loops is ended after its time; others answer meanwhile, and its next call begins anew', async () => {
  const run = async (name: string, input: Record<string, unknown>, signal: AbortSignal) =>
    (await threadedPlugin(home, { kind: 'tools', name }, 'here')).code.run(input, signal);
  const forever = new AbortController().signal;
  const looping = Promise.allSettled([
    run('loops', { now: true }, forever),
    run('loops', { now: true }, AbortSignal.timeout(500)),
  ]);
  expect(await run('other', {}, forever)).toBe('at work');
  const [waited, late] = await looping;
  expect(late).toMatchObject({ status: 'rejected', reason: { name: 'TimeoutError' } });
  expect(String((waited as PromiseRejectedResult).reason)).toContain(
    'tandem.config.mjs: the plugin tools.loops did not give control back',
  );
  expect(await run('loops', {}, forever)).toBe('here again');
});

test('a pass that loops is ended, and its step fails with its name', async () => {
  const shipped = await loadPolicy(home, 'two-agent');
  const pass = { pass: 'plugin' as const, plugin: 'loops', options: {} };
  const passes = await loadPluginPasses(home, { ...shipped, passes: [pass] });
  const proposed = passes?.['loops']?.(undefined as never, undefined as never) ?? [];
  expect(() => [...proposed]).toThrow(/the plugin passes\.loops failed: it did not come back within 10 s/);
});
