import { describe, expect, test } from 'vitest';
import { runTools } from '../../src/agent/run-tools.ts';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';
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

describe('calls that may run together (S3.5)', () => {
  const definitions = ['slow', 'echo'].map((name) => ({
    name,
    description: '',
    input_schema: { type: 'object' as const },
  }));
  const host = (call: ToolHost['call']): ToolHost => ({ definitions, parallel: new Set(['slow']), call });

  test('do so when they are neighbours; the answers are in the order of the calls', async () => {
    const log: string[] = [];
    const both = Promise.withResolvers<undefined>();
    const tools = host(async (_name, { text }) => {
      log.push(`+${String(text)}`);
      if (text === '2') both.resolve(undefined);
      if (text === '1') await both.promise;
      log.push(`-${String(text)}`);
      return { content: String(text), is_error: false };
    });
    const calls = [use('a', 'slow', '1'), use('b', 'slow', '2'), use('c', 'echo', '3'), use('d', 'slow', '4')];
    const message = await runTools(calls, [tools], live);
    expect(message.content).toMatchObject(['1', '2', '3', '4'].map((content) => ({ content })));
    expect(log).toEqual(['+1', '+2', '-2', '-1', '+3', '-3', '+4', '-4']);
  });

  test('the first that throws stops the others, and is thrown when they have stopped', async () => {
    const stopped: string[] = [];
    const tools = host(async (_name, { text }, signal) => {
      if (text === 'fails') throw new Error('cap');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stopped.push(String(text));
      throw signal.reason;
    });
    const calls = ['one', 'fails', 'two'].map((text) => use(text, 'slow', text));
    await expect(runTools(calls, [tools], live)).rejects.toThrow('cap');
    expect(stopped).toEqual(['one', 'two']);
  });
});
