/** The user that a model plays, from what the sample says of it; it may use the tools that are in the user's hands. */
import { costOf, type Model, type ModelFacts, type OutgoingMessage } from '../../ports/model.ts';
import { NO_USAGE } from '../../ports/subject.ts';
import type { Sample } from '../../scenario/sample.ts';
import { fill } from '../../transcript/fill-template.ts';
import { toolUses, type Block, type ToolDefinition, type Usage } from '../../transcript/message.ts';
import { addUsage } from './add-usage.ts';
import type { Act, SimulatedUser, UserAnswer } from './simulated-user.ts';
import { asSent, callSubject, assistantText } from './subject-turn.ts';

export type UserModel = {
  model: Model;
  name: string;
  maxTokens: number;
  price: ModelFacts['price'];
  thinking?: 'adaptive' | undefined;
  /** `prompts/user_simulator.md`. */
  prompt: string;
  tools: ToolDefinition[];
};

const END_MARK = '[end]';
/** Model calls for one answer: what it does with its tools, then what it says. */
const MOST_CALLS = 6;

export function modelUser(settings: UserModel, { user }: Pick<Sample, 'user'>): SimulatedUser {
  const text = fill(settings.prompt, {
    firstWords: user.says_first,
    knows: Object.entries(user.knows)
      .map(([key, value]) => `- ${key}: ${value}`)
      .join('\n'),
    doesNotKnow: user.does_not_know.join(', ') || 'everything else',
    stopsWhen: user.stops_when,
    endMark: END_MARK,
  });
  const messages: OutgoingMessage[] = [];
  return {
    answer: (said, act, leftMs, signal) => {
      messages.push({ role: 'user', content: [{ type: 'text', text: said.trim() === '' ? '(silence)' : said }] });
      return reply(settings, text, messages, act, leftMs, signal);
    },
  };
}

async function reply(
  { model, name, maxTokens, price, thinking, tools }: UserModel,
  prompt: string,
  messages: OutgoingMessage[],
  act: Act,
  leftMs: number,
  signal: AbortSignal,
): Promise<UserAnswer> {
  let spent: { usage: Usage; costUsd: number } = { usage: NO_USAGE, costUsd: 0 };
  const endsAt = performance.now() + leftMs;
  for (let calls = 0; calls < MOST_CALLS; calls += 1) {
    const request = {
      model: name,
      system: [{ type: 'text' as const, text: prompt, cache_control: { type: 'ephemeral' as const } }],
      tools,
      messages: [...messages],
      max_tokens: maxTokens,
      ...(thinking === undefined ? {} : { thinking: { type: thinking } }),
    };
    const called = await callSubject(model, request, endsAt - performance.now(), signal);
    if (called.type === 'stopped') {
      return { says: undefined, end: { stop: called.stop, detail: `the user: ${called.detail}` }, ...spent };
    }
    const { content, usage } = called.response;
    spent = { usage: addUsage(spent.usage, usage), costUsd: spent.costUsd + costOf(usage, price) };
    const sent = asSent(content);
    if (sent.length > 0) messages.push({ role: 'assistant', content: sent });
    const uses = toolUses({ content });
    if (uses.length === 0) {
      const says = assistantText(content);
      return { says: says === '' || says.includes(END_MARK) ? undefined : says, ...spent };
    }
    const results: Block[] = [];
    for (const { id, name: tool, input } of uses) {
      const { output, is_error } = await act({ tool, args: input });
      results.push({ type: 'tool_result', tool_use_id: id, content: JSON.stringify(output), is_error });
    }
    messages.push({ role: 'user', content: results });
  }
  return { says: undefined, ...spent };
}
