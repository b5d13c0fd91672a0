/** An agent on the AI SDK: its own loop, its own memory, and the tools that Tandem offers. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { dynamicTool, generateText, jsonSchema, stepCountIs } from 'ai';
import { serveTandem } from './tandem-lines.mjs';

const address = process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
const model = createAnthropic({ baseURL: `${address}/v1` })('claude-haiku-5-5');

await serveTandem(({ prompt, tools, callTool }) => {
  const offered = tools.map(({ name, description, input_schema }) => [
    name,
    dynamicTool({
      description,
      inputSchema: jsonSchema(input_schema),
      execute: (input) => callTool(name, input),
    }),
  ]);
  const messages = [];
  return async (text) => {
    messages.push({ role: 'user', content: text });
    const settings = { model, system: prompt, tools: Object.fromEntries(offered), stopWhen: stepCountIs(8) };
    const answer = await generateText({ ...settings, messages });
    messages.push(...answer.response.messages);
    return answer.text;
  };
});
