/** An agent on the plain SDK that never outgrows its window. */
import Anthropic from '@anthropic-ai/sdk';
import { messagesApi, openContext } from 'tandem-harness/context';
import { read, runTool, SYSTEM, TASK } from './library-tools.ts';

const client = new Anthropic();
const call = (request: Anthropic.MessageCreateParamsNonStreaming, signal?: AbortSignal) =>
  client.messages.create(request, { signal });
const setup = { policy: 'demo', model: 'claude-sonnet-5-5', trigger: { tokens: 16_000 }, system: SYSTEM };
const context = await openContext({ ...setup, shape: messagesApi([read]) });
context.push({ role: 'user', content: TASK });
for (let goesOn = true; goesOn;) {
  const answer = await call(await context.request(call));
  context.push(answer);
  const results = answer.content.filter((block) => block.type === 'tool_use').map(runTool);
  goesOn = results.length > 0;
  if (goesOn) context.push({ role: 'user', content: results });
}
console.log(JSON.stringify({ said: context.recall(context.entries.at(-1)?.id ?? ''), receipts: context.receipts }));
