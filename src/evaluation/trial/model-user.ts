/** The user that a model plays, from its description in the sample; it may call the user's tools, and its words are held against both. */
import { computeCost, type Model, type ModelFacts, type OutgoingMessage } from '../../ports/model.ts';
import type { Sample } from '../../scenario/sample.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { addUsage, NO_USAGE, listToolUses, type Block, type Usage } from '../../transcript/message.ts';
import { findAnswerFault } from './invented-value.ts';
import type { SimulatedUser, UserAnswer, UserPrompt } from './simulated-user.ts';
import { asSent, callSubject, assistantText, subjectRequest, type Subject } from './subject-turn.ts';

/** `prompt` is `prompts/user_simulator.md`, `tools` are those of the user. */
export type UserModel = Omit<Subject, 'model'> & { model: Model; name: string; price: ModelFacts['price'] };

const END_MARK = '[end]';
/** Model calls for one answer: tool calls first, then words. */
const MOST_CALLS = 6;
/** Answers that may be thrown away before the conversation ends as the user's fault. */
const MOST_TRIES = 3;
/** Answers beside the end mark that are still said; a user and a subject that only say goodbye must come to an end. */
const MOST_LAST_WORDS = 3;

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
  let lastWords = 0;
  return {
    async answer({ said, act, leftMs, hasActed = true }, signal): Promise<UserAnswer> {
      messages.push(toMessage(said.trim() === '' ? '(silence)' : said));
      let spent: { usage: Usage; costUsd: number } = { usage: NO_USAGE, costUsd: 0 };
      const endsAt = performance.now() + leftMs;
      let tries = 0;
      let fault: string | undefined;
      for (let calls = 0; calls < MOST_CALLS; calls += 1) {
        // The reason stands in the one request only: the talk goes on as if the bad answer had never been.
        const note = fault === undefined ? [] : [toMessage(`(Your answer was thrown away: ${fault}. Answer again.)`)];
        const request = subjectRequest(player, [...messages, ...note]);
        const called = await callSubject(model, request, { by: 'user', leftMs: endsAt - performance.now(), signal });
        if (called.type === 'stopped')
          return { says: undefined, end: { stop: called.stop, detail: `the user: ${called.detail}` }, ...spent };
        const { content, usage } = called.response;
        spent = { usage: addUsage(spent.usage, usage), costUsd: spent.costUsd + computeCost(usage, price) };
        const text = assistantText(content);
        const uses = listToolUses({ content });
        const isEnd = text.includes(END_MARK);
        const says = text.replaceAll(END_MARK, '').trim();
        const held = { text: says, isEnd, said, hasActed, user, talk: JSON.stringify(messages) };
        fault = uses.length === 0 ? findAnswerFault(held) : undefined;
        tries += fault === undefined ? 0 : 1;
        // The answer is thrown away whole, and asked for again.
        if (fault !== undefined && tries < MOST_TRIES) continue;
        if (fault !== undefined)
          return { says: undefined, end: { stop: 'no_move', detail: `${said.trim()} (${fault})` }, ...spent };
        const sent = asSent(content);
        if (sent.length > 0) messages.push({ role: 'assistant', content: sent });
        if (uses.length === 0) {
          lastWords += isEnd && says !== '' ? 1 : 0;
          // Words beside the mark are said, and the user stays for what the subject makes of them.
          return { says: says === '' || lastWords > MOST_LAST_WORDS ? undefined : says, ...spent };
        }
        const results = await runUserCalls(uses, act);
        messages.push({ role: 'user', content: results });
      }
      return { says: undefined, ...spent };
    },
  };
}

const toMessage = (text: string): OutgoingMessage => ({ role: 'user', content: [{ type: 'text', text }] });

async function runUserCalls(uses: ReturnType<typeof listToolUses>, act: UserPrompt['act']): Promise<Block[]> {
  const results: Block[] = [];
  for (const { id, name: tool, input } of uses) {
    const { output, is_error } = await act({ tool, args: input });
    results.push({ type: 'tool_result', tool_use_id: id, content: JSON.stringify(output), is_error });
  }
  return results;
}
