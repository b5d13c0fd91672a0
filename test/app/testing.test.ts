/** The testing face as somebody uses it for a harness of their own: the example of docs/simulation.md, and what it must catch. */
import Anthropic from '@anthropic-ai/sdk';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startSimulator, type Script } from '../../src/app/testing.ts';

const script: Script = {
  version: 1,
  who: 'my agent',
  match: { system_includes: 'You are my agent' },
  turns: [
    {
      name: 'a greeting',
      marker: 'Good morning',
      steps: [{ say: 'I look.', calls: [{ tool: 'look', input: {} }] }, { say: 'Done.' }],
    },
  ],
};
const look = { name: 'look', input_schema: { type: 'object' as const } };
const ask = { model: 'claude-haiku-4-5', max_tokens: 500, system: 'You are my agent.', tools: [look] };
const morning = { role: 'user' as const, content: 'Good morning' };

test('a harness that follows the rules is answered by its script, and one that breaks them is refused as by the API', async () => {
  const simulator = await startSimulator({ simulationDir: undefined, scripts: [script] });
  const client = new Anthropic({ baseURL: simulator.url, apiKey: 'offline', maxRetries: 0 });
  const first = await client.messages.create({ ...ask, messages: [morning] });
  expect(first.stop_reason).toBe('tool_use');
  const call = first.content.find((block) => block.type === 'tool_use');
  const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'seen' };
  const turns = [morning, { role: 'assistant' as const, content: first.content }];
  const second = await client.messages.create({ ...ask, messages: [...turns, { role: 'user', content: [result] }] });
  expect(second.content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  const forgotten = client.messages.create({ ...ask, messages: [...turns, { role: 'user', content: 'and now?' }] });
  await expect(forgotten).rejects.toMatchObject({ status: 400, message: expect.stringContaining('tool_use') });
  expect(simulator.requests).toHaveLength(3);
  await simulator.close();
});

test('docs/simulation.md names what there is', () => {
  const page = readFileSync('docs/simulation.md', 'utf8');
  for (const name of ['tandem-harness/testing', 'startSimulator']) expect(page).toContain(name);
});
