import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../../../src/adapters/simulated/start.ts';

let simulator: Simulator;
beforeAll(async () => {
  const script = {
    version: 1 as const,
    who: 's',
    match: { system_includes: 'You' },
    turns: [{ name: 'a', marker: 'hi', steps: [{ say: 'Hello.' }] }],
  };
  simulator = await startSimulator({ simulationDir: undefined, scripts: [script] });
});
afterAll(() => simulator.close());

const system = { role: 'system', content: 'You help.' };
const user = { role: 'user', content: 'hi' };
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const call = (id: string, json = '{}') => ({ id, type: 'function', function: { name: 'look', arguments: json } });
const calling = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'seen' });

async function post(body: unknown, headers: Record<string, string> = { authorization: 'Bearer x' }) {
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    body: (await response.json()) as { error?: { message: string }; choices?: { message: { content: string } }[] },
  };
}

test.each([
  ['chat_shape', { messages: [user] }],
  ['chat_shape', { model: 'm', messages: [user], tools: [] }],
  ['tool_result_expected', { model: 'm', messages: [{ role: 'tool', content: 'x' }] }],
  [
    'chat_shape',
    {
      model: 'm',
      messages: [user, calling({ ...call('a'), function: { name: 'look', arguments: {} } }), result('a')],
      tools,
    },
  ],
  ['chat_shape', { model: 'm', messages: [user, calling(call('a', '{"x":')), result('a')], tools }],
  ['tool_use_answered', { model: 'm', messages: [user, calling(call('a'), call('b')), result('a'), user], tools }],
  ['tool_result_expected', { model: 'm', messages: [user, result('a')], tools }],
  ['tool_result_single', { model: 'm', messages: [user, calling(call('a')), result('a'), result('a')], tools }],
])('%s is refused (%#)', async (rule, body) => {
  const { status, body: answer } = await post(body);
  expect([status, simulator.requests.at(-1)?.rule]).toEqual([400, rule]);
  expect(answer.error?.message).toMatch(/./);
});

test('without a key nothing is answered; with one the script is, whatever the model is called', async () => {
  expect((await post({ model: 'm', messages: [system, user] }, {})).status).toBe(401);
  const { status, body } = await post({ model: 'anything-4', messages: [system, user] });
  expect([status, body.choices?.[0]?.message.content]).toEqual([200, 'Hello.']);
});
