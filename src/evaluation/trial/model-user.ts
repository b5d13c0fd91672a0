/** The user that a model plays, from its description in the sample; it may call the user's tools. */
import { computeCost, type Model, type ModelFacts, type OutgoingMessage } from '../../ports/model.ts';
import type { Sample } from '../../scenario/sample.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { addUsage, NO_USAGE, listToolUses, type Block, type Usage } from '../../transcript/message.ts';
import type { SimulatedUser, UserPrompt } from './simulated-user.ts';
import { asSent, callSubject, assistantText, subjectRequest, type Subject } from './subject-turn.ts';

/** `prompt` is `prompts/user_simulator.md`, `tools` are those of the user. */
export type UserModel = Omit<Subject, 'model'> & { model: Model; name: string; price: ModelFacts['price'] };

const END_MARK = '[end]';
/** Model calls for one answer: tool calls first, then words. */
const MOST_CALLS = 6;

export function modelUser(settings: UserModel, { user }: Pick<Sample, 'user'>): SimulatedUser {
  const prompt = fillTemplate(settings.prompt, {
    firstWords: user.says_first,
    knows: Object.entries(user.knows)
      .map(([key, value]) => `- ${key}: ${value}`)
      .join('\n'),
    doesNotKnow: user.does_not_know.join(', ') || 'everything else',
    stopsWhen: user.stops_when,
    endMark: END_MARK,
  });
  const { model, name, price } = settings;
  const player: Subject = { ...settings, model: name, prompt };
  const messages: OutgoingMessage[] = [];
  return {
    async answer({ said, act, leftMs }, signal) {
      messages.push({ role: 'user', content: [{ type: 'text', text: said.trim() === '' ? '(silence)' : said }] });
      let spent: { usage: Usage; costUsd: number } = { usage: NO_USAGE, costUsd: 0 };
      const endsAt = performance.now() + leftMs;
      for (let calls = 0; calls < MOST_CALLS; calls += 1) {
        const request = subjectRequest(player, [...messages]);
        const called = await callSubject(model, request, { by: 'user', leftMs: endsAt - performance.now(), signal });
        if (called.type === 'stopped')
          return { says: undefined, end: { stop: called.stop, detail: `the user: ${called.detail}` }, ...spent };
        const { content, usage } = called.response;
        spent = { usage: addUsage(spent.usage, usage), costUsd: spent.costUsd + computeCost(usage, price) };
        const sent = asSent(content);
        if (sent.length > 0) messages.push({ role: 'assistant', content: sent });
        const uses = listToolUses({ content });
        if (uses.length === 0) {
          const says = assistantText(content);
          return { says: says === '' || says.includes(END_MARK) ? undefined : says, ...spent };
        }
        messages.push({ role: 'user', content: await runUserCalls(uses, act) });
      }
      return { says: undefined, ...spent };
    },
  };
}

async function runUserCalls(uses: ReturnType<typeof listToolUses>, act: UserPrompt['act']): Promise<Block[]> {
  const results: Block[] = [];
  for (const { id, name: tool, input } of uses) {
    const { output, is_error } = await act({ tool, args: input });
    results.push({ type: 'tool_result', tool_use_id: id, content: JSON.stringify(output), is_error });
  }
  return results;
}
