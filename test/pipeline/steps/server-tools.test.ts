/** A step that is made again sees the tools and answers of its first try. */
import { expect, test } from 'vitest';
import type { LoadedAgent } from '../../../src/agent/definition.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import { openServerTools } from '../../../src/pipeline/steps/server-tools.ts';
import type { OpenToolServers } from '../../../src/ports/tools/tool-servers.ts';

const signal = new AbortController().signal;
const agent = (...tools: string[]) => ({ definition: { tools } }) as unknown as LoadedAgent;

function world() {
  const remembered = new Map<string, string>();
  const attempt = {
    recall: async (name: string) =>
      remembered.has(name) ? (JSON.parse(remembered.get(name) ?? '') as unknown) : undefined,
    remember: async (name: string, value: unknown) => void remembered.set(name, JSON.stringify(value)),
  };
  const notices: string[] = [];
  const closed: string[] = [];
  let [calls, answers] = [0, true];
  const definition = { name: 'mcp__docs__count', description: '', input_schema: { type: 'object' as const } };
  const open = async (): Promise<OpenToolServers> => ({
    offered: [
      { server: 'docs', definitions: answers ? [definition] : [], problems: answers ? [] : ['docs does not start'] },
    ],
    host: { definitions: [definition], call: async () => ({ content: String((calls += 1)), is_error: false }) },
    close: async () => void closed.push('docs'),
  });
  const deps = {
    toolServers: { open },
    prompts: { tools: {} },
    progress: (event: { detail: string }) => notices.push(event.detail),
  } as unknown as Deps;
  return { step: { attempt, deps, signal }, notices, closed, down: () => (answers = false) };
}

test('every call has the answer of its place, whatever the server would say now', async () => {
  const { step, notices, down, closed } = world();
  const first = await openServerTools(agent('read', 'mcp:docs'), step);
  const host = first.hostOf('main', ['mcp:docs']);
  const ask = async (from: typeof host) => (await from.call('mcp__docs__count', {}, signal)).content;
  expect([await ask(host), await ask(host)]).toEqual(['1', '2']);
  expect(await ask(first.hostOf('sub-1', ['mcp:docs']))).toBe('3');
  await first.close();
  down();
  const again = await openServerTools(agent('mcp:docs'), step);
  const same = again.hostOf('main', ['mcp:docs']);
  expect(same.definitions.map(({ name }) => name)).toEqual(['mcp__docs__count']);
  expect([await ask(same), await ask(same), await ask(same)]).toEqual(['1', '2', '4']);
  expect(notices).toEqual(['server of tools: docs does not start']);
  await again.close();
  expect(closed).toEqual(['docs', 'docs']);
});

test('an agent is offered the servers that it names and no other; one that names none starts none', async () => {
  const { step } = world();
  const servers = await openServerTools(agent('mcp:docs'), step);
  expect(servers.hostOf('main', ['read', 'mcp:web']).definitions).toEqual([]);
  const none = await openServerTools(agent('read'), {
    ...step,
    deps: { ...step.deps, toolServers: undefined } as unknown as Deps,
  });
  expect(none.hostOf('main', ['read']).definitions).toEqual([]);
});
