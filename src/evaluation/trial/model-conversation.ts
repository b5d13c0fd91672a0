/** The subject that is a model: each turn is one request, and the conversation so far is its messages. */
import { costOf, type Model, type ModelFacts, type OutgoingMessage } from '../../ports/model.ts';
import type { Conversation, SubjectInput, SubjectTurn } from '../../ports/subject.ts';
import { NO_USAGE, toolUses, type Block } from '../../transcript/message.ts';
import { asSent, callSubject, subjectAction, assistantText, subjectRequest, type Subject } from './subject-turn.ts';

const MAX_RESULT_CHARS = 30_000;

export function modelConversation(subject: Subject, model: Model, price: ModelFacts['price']): Conversation {
  const messages: OutgoingMessage[] = [];
  return {
    async next(input, leftMs, signal): Promise<SubjectTurn> {
      if (input !== undefined) messages.push({ role: 'user', content: blocksOf(input) });
      const called = await callSubject(model, subjectRequest(subject, [...messages]), { leftMs, signal });
      if (called.type === 'stopped') {
        const { stop, detail } = called;
        return { says: '', calls: [], end: { stop, detail }, usage: NO_USAGE, costUsd: 0 };
      }
      const { response } = called;
      const sent = asSent(response.content);
      if (sent.length > 0) messages.push({ role: 'assistant', content: sent });
      const calls = toolUses(response).map(({ id, name, input }) => ({ id, tool: name, args: input }));
      const { usage } = response;
      const turn = { says: assistantText(response.content), calls, usage, costUsd: costOf(usage, price) };
      const meaning = subjectAction(response);
      if (meaning.type === 'stopped') return { ...turn, end: { stop: meaning.stop, detail: meaning.detail } };
      if (meaning.type === 'paused') return { ...turn, goesOn: true };
      // An answer without content cannot be sent back, so the conversation cannot continue.
      return sent.length === 0 ? { ...turn, end: { stop: 'done' } } : turn;
    },
    close: () => Promise.resolve(),
  };
}

function blocksOf(input: SubjectInput): Block[] {
  if (input.type === 'user') return [{ type: 'text', text: input.text }];
  return input.results.map(({ id, output, is_error }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: textOf(output),
    is_error,
  }));
}

function textOf(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const shown =
    text.length <= MAX_RESULT_CHARS ? text : `${text.slice(0, MAX_RESULT_CHARS)} [… ${text.length} characters in all]`;
  return shown.trim() === '' ? '(an empty answer)' : shown;
}
