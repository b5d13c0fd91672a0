import { expect, test } from 'vitest';
import { runTools } from '../../src/agent/run-tools.ts';
import type { ToolHost } from '../../src/ports/tool-host.ts';
import type { ToolUseBlock } from '../../src/transcript/message.ts';

const echo: ToolHost = {
  definitions: [{ name: 'echo', description: '', input_schema: { type: 'object' } }],
  call: async (_name, input) => ({ content: String(input['text']), is_error: false }),
};
const use = (id: string, name: string, text: string): ToolUseBlock => ({ type: 'tool_use', id, name, input: { text } });
const live = new AbortController().signal;

test('answers one for one and in order, an unknown tool with an error that names what there is', async () => {
  const message = await runTools([use('a', 'echo', '1'), use('b', 'nope', '2'), use('c', 'echo', '3')], [echo], live);
  expect(message.role).toBe('user');
  expect(message.content).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: '1', is_error: false },
    { type: 'tool_result', tool_use_id: 'b', content: 'No tool is named nope. There are: echo.', is_error: true },
    { type: 'tool_result', tool_use_id: 'c', content: '3', is_error: false },
  ]);
});

test('an empty or ill-formed result is made sendable (T9)', async () => {
  const message = await runTools([use('a', 'echo', ' \n'), use('b', 'echo', 'x\uD800y')], [echo], live);
  expect(message.content).toMatchObject([{ content: '(no output)' }, { content: 'x\uFFFDy' }]);
});

test('an abort is not a tool result', async () => {
  const stop = new AbortController();
  stop.abort(new Error('stop'));
  await expect(runTools([use('a', 'echo', '1')], [echo], stop.signal)).rejects.toThrow('stop');
});

test('images stand behind the text of their result (S3.10)', async () => {
  const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } };
  const camera: ToolHost = { ...echo, call: async () => ({ content: '', is_error: false, images: [image] }) };
  const message = await runTools([use('a', 'echo', '1')], [camera], live);
  expect(message.content).toMatchObject([{ content: [{ type: 'text', text: '(no output)' }, image] }]);
});
