/** The same agent on the AI SDK: its messages, its tools, its `generateText`. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, jsonSchema, tool } from 'ai';
import { aiSdk, openContext, type AiRequest } from 'tandem-harness/context';
import { chapter, read, SYSTEM, TASK, type ReadInput } from './library-tools.ts';

const inputSchema = jsonSchema<ReadInput>(read.input_schema);
const tools = { read: tool({ description: read.description, inputSchema, execute: chapter }) };
const model = createAnthropic({ baseURL: `${process.env['ANTHROPIC_BASE_URL']}/v1` })('claude-sonnet-5-5');
const call = (request: AiRequest<typeof tools>, abortSignal?: AbortSignal) =>
  generateText({ model, ...request, ...(abortSignal && { abortSignal }) });
const setup = { policy: 'demo', model: 'claude-sonnet-5-5', trigger: { tokens: 16_000 }, system: SYSTEM };
const context = await openContext({ ...setup, shape: aiSdk(tools) });
context.push({ role: 'user', content: TASK });
for (let goesOn = true; goesOn;) {
  const answer = await call(await context.request(call));
  context.push(answer);
  goesOn = answer.finishReason === 'tool-calls';
}
console.log(JSON.stringify({ said: context.recall(context.entries.at(-1)?.id ?? ''), receipts: context.receipts }));
