/** Two tools for many. */
import { expect, test } from 'vitest';
import { createSearchHost } from '../../../src/agent/tools/search-tools.ts';
import type { ToolHost } from '../../../src/ports/tools/tool-host.ts';

const live = new AbortController().signal;
const tool = (name: string, description: string) => ({ name, description, input_schema: { type: 'object' as const } });
const called: unknown[] = [];
const all: ToolHost = {
  definitions: [
    tool('mcp__a__send_mail', 'Sends a letter'),
    tool('mcp__a__list_mail', 'Lists letters'),
    tool('mcp__b__fly', ''),
  ],
  call: async (name, input) => {
    called.push([name, input]);
    return { content: 'done', is_error: false };
  },
};
const host = createSearchHost(all, { find_tools: 'Finds.', call_tool: 'Calls.' });

test('finds by words of name and description, the name first, and shows the schema', async () => {
  const { content } = await host.call('find_tools', { words: 'send a letter' }, live);
  const names = content.split('\n').map((line) => (JSON.parse(line) as { name: string }).name);
  expect(names[0]).toBe('mcp__a__send_mail');
  expect(names).not.toContain('mcp__b__fly');
  expect((await host.call('find_tools', { words: 'mail' }, live)).content.split('\n')).toHaveLength(2);
  expect((await host.call('find_tools', { words: 'zebra' }, live)).content).toContain('mcp__b__fly');
  expect(await host.call('find_tools', { word: 'x' }, live)).toMatchObject({ is_error: true });
});

test('calls what it found, and nothing else', async () => {
  expect(await host.call('call_tool', { name: 'mcp__b__fly', input: { to: 'x' } }, live)).toMatchObject({
    content: 'done',
  });
  expect(called).toEqual([['mcp__b__fly', { to: 'x' }]]);
  for (const input of [
    { name: 'submit_design', input: {} },
    { name: 'mcp__b__fly', input: 'x' },
  ])
    expect(await host.call('call_tool', input, live)).toMatchObject({ is_error: true });
  expect(host.definitions.map(({ description }) => description)).toEqual(['Finds.', 'Calls.']);
});
