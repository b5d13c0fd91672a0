/** An agent on the OpenAI Agents SDK: its own loop, its own memory, and the tools that Tandem offers. */
import { Agent, run, setOpenAIAPI, setTracingDisabled, tool, user } from '@openai/agents';
import { serveTandem } from './tandem-lines.mjs';

// The client reads OPENAI_API_KEY and OPENAI_BASE_URL.
setOpenAIAPI('chat_completions');
setTracingDisabled(true);

await serveTandem(({ prompt, tools, callTool }) => {
  const offered = tools.map(({ name, description, input_schema }) =>
    tool({
      name,
      description,
      parameters: { ...input_schema, additionalProperties: true },
      strict: false,
      execute: async (input) => JSON.stringify(await callTool(name, input)),
    }),
  );
  const agent = new Agent({ name: 'desk', instructions: prompt, model: 'gpt-5-mini', tools: offered });
  let history = [];
  return async (text) => {
    const answer = await run(agent, [...history, user(text)]);
    history = withoutProviderData(answer.history);
    return answer.finalOutput;
  };
});

/** What the SDK keeps of an answer's own fields would go back in the parts of a message, where a strict endpoint refuses it. */
function withoutProviderData(items) {
  return JSON.parse(JSON.stringify(items, (key, value) => (key === 'providerData' ? undefined : value)));
}
