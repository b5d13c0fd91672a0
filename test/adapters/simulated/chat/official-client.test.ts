/** The Chat Completions face as the official client sees it. */
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../../../src/adapters/simulated/start.ts';

const script = {
  ...{ version: 1 as const, who: 'subject', match: { system_includes: 'You switch lamps.' } },
  turns: [
    {
      ...{ name: 'dark', marker: 'It is dark.' },
      steps: [
        { say: 'Let me see.', calls: [{ tool: 'switch', input: { id: 'hall', on: true } }] },
        { say: 'It is on.' },
      ],
    },
  ],
};
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'switch', description: 'Switches.', parameters: { type: 'object' } } },
];
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'You switch lamps.' },
  { role: 'user', content: 'It is dark.' },
];

test('whole, streamed, with tools, overloaded and refused: the official client understands every answer', async () => {
  const faults = [{ at: 1, kind: '500' as const }];
  const simulator = await startSimulator({ simulationDir: undefined, scripts: [script], faults });
  onTestFinished(() => simulator.close());
  const { completions } = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 2 }).chat;
  const first = await completions.create({ model: 'm', messages, tools });
  expect(simulator.requests.map(({ status }) => status)).toEqual([500, 200]);
  const message = first.choices[0]?.message ?? expect.fail();
  const [call] = message.tool_calls ?? [];
  if (call?.type !== 'function') throw new Error('the call is no function');
  expect(JSON.parse(call.function.arguments)).toEqual({ id: 'hall', on: true });
  expect(first).toMatchObject({
    choices: [{ finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: expect.any(Number) },
  });

  // Its own message goes back as it came.
  const seen = { role: 'tool' as const, tool_call_id: call.id, content: '{"ok":true}' };
  const second = await completions.create({ model: 'm', messages: [...messages, message, seen], tools });
  expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'It is on.' } });

  const stream = completions.stream({ model: 'm', messages, tools, stream_options: { include_usage: true } });
  const whole = await stream.finalChatCompletion();
  expect(whole.choices[0]?.message).toMatchObject({
    content: 'Let me see.',
    tool_calls: [{ id: call.id, function: call.function }],
  });
  expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);

  const unanswered = [...messages, message, { role: 'user' as const, content: 'And?' }];
  const refused = completions.create({ model: 'm', messages: unanswered, tools });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(refused).rejects.toThrow(/ids were found without `tool_result` blocks/);
});
