/** What agents are shown of the servers of their subject, and the sandbox that asks them. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { findHome } from '../../../src/config/home.ts';
import { loadPrompts } from '../../../src/config/load-prompts.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import { openRunSandbox, SERVED_FILE, describeServedTools } from '../../../src/pipeline/evaluation/participants.ts';
import type { InspectedServer, ToolWorlds } from '../../../src/ports/tools/tool-worlds.ts';
import { Brief } from '../../../src/scenario/brief.ts';
import { lampsBrief, trustedSandbox } from '../../evaluation/lamps.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

const prompts = await loadPrompts(findHome('.'));
const { signal } = new AbortController();
const server = { name: 'stock', command: ['x'], reset: { tool: 'a' }, state: { tool: 'b' } };
const brief = Brief.parse({ ...lampsBrief(), tools: { mcp: [server] } });
const tool = (name: string, more = 'x') => ({ name, description: more, input_schema: { type: 'object' as const } });

async function runWith(looked: InspectedServer[][]) {
  const root = await scratch();
  const run = await openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' }).create(
    join(root, 'desk'),
    'r',
  );
  const places: string[] = [];
  const worlds: ToolWorlds = {
    look: async () => looked.shift() ?? expect.fail('it was looked at again'),
    serve: (inner) => ({ ...inner, kind: `${inner.kind} and servers` }),
  };
  const toolWorlds: Deps['toolWorlds'] = (_tools, dir) => {
    places.push(dir);
    return worlds;
  };
  const deps = { prompts, toolWorlds, sandbox: async () => trustedSandbox() } as unknown as Deps;
  return { run, deps, places, root };
}

test('the list is made once: later steps show what the first has seen', async () => {
  const { run, deps, places, root } = await runWith([
    [{ server: 'stock', tools: [tool('find-item')], state: { items: {} }, problems: [] }],
  ]);
  const text = await describeServedTools({ run, brief, deps, signal });
  expect(text).toMatch(/^<tool_servers file="scenario\/tool_servers\.json">[\s\S]*<\/tool_servers>$/);
  expect(text).toContain('server stock; its state as it starts: {"items":{}}\n{"name":"find-item"');
  expect(await run.read(SERVED_FILE)).toContain('"find-item"');
  expect(await describeServedTools({ run, brief, deps, signal })).toBe(text);
  expect(places).toEqual([join(root, 'desk')]);
});

test('a long list loses its schemas, which the file still has', async () => {
  const tools = Array.from({ length: 60 }, (_, at) => ({
    ...tool(`t${at}`),
    input_schema: { type: 'object' as const, properties: { a: { type: 'string', description: 'y'.repeat(900) } } },
  }));
  const { run, deps } = await runWith([[{ server: 'stock', tools, state: 1, problems: [] }]]);
  const text = await describeServedTools({ run, brief, deps, signal });
  expect(text).toContain('"t59"');
  expect(text).not.toContain('yyyy');
});

test('a server that cannot be evaluated stops the step, which is tried again', async () => {
  const { run, deps } = await runWith([[{ server: 'stock', tools: [], problems: ['"stock" is gone.'] }]]);
  await expect(describeServedTools({ run, brief, deps, signal })).rejects.toMatchObject({
    code: 'infrastructure',
    retryable: true,
    message: '"stock" is gone.',
  });
  expect(await run.read(SERVED_FILE)).toBeUndefined();
});

test('a scenario without servers has neither', async () => {
  const { run, deps } = await runWith([]);
  expect(await describeServedTools({ run, brief: lampsBrief(), deps, signal })).toBe('');
  expect((await openRunSandbox({ run, brief: lampsBrief(), deps })).kind).toBe('trusted');
  expect((await openRunSandbox({ run, brief, deps })).kind).toBe('trusted and servers');
});
