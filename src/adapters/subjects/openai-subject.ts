/** A subject behind a Chat Completions endpoint: maps conversation, calls and results both ways. */
import { formatToolResult } from '../../ports/subject.ts';
import type {
  ChatCompletionsOptions,
  ConversationStart,
  SubjectHost,
  SubjectInput,
  SubjectTurn,
} from '../../ports/subject.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import { findRefusedFields, omitFields } from '../../transcript/vendor-fields.ts';
import { readCompletion, type AssistantMessage, type ReadCompletion } from './chat-completion.ts';
import { postTurn, readHeaderValues, type HttpReply } from './post-turn.ts';
import { stoppedTurn } from './subject-answer.ts';

type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | AssistantMessage
  | { role: 'tool'; tool_call_id: string; content: string };

/** Newer models name their limit differently, and report it in their error. */
const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

/** Throws `config_invalid` at once when a needed environment variable is not set. */
export function openaiSubject(options: ChatCompletionsOptions): SubjectHost {
  const { baseUrl, model, maxTokens, key, stream = false } = options;
  const secrets = readHeaderValues({ ...options.headers, ...(key === undefined ? {} : { authorization: key }) });
  const { authorization } = secrets;
  const bearer = key === undefined || authorization === undefined ? {} : { authorization: `Bearer ${authorization}` };
  const headers = { 'content-type': 'application/json', ...secrets, ...bearer };
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  let limit: (typeof LIMITS)[number] = 'max_tokens';
  /** Fields of its own that the endpoint has refused to take back. */
  const refusedFields = new Set<string>();

  const ask = async (
    messages: readonly ChatMessage[],
    { tools, onExchange }: ConversationStart,
    signal: AbortSignal,
  ) => {
    const request = {
      // The API refuses an empty list.
      ...(tools.length === 0 ? {} : { tools: tools.map(asFunction) }),
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    };
    for (;;) {
      const sent = messages.map((message) => omitFields(message, refusedFields));
      const body = JSON.stringify({ model, messages: sent, ...request, [limit]: maxTokens });
      const reply = await postTurn(url, { headers, body, onExchange }, signal);
      if (reply.ok || (reply.status !== 400 && reply.status !== 422)) return reply;
      const named = findRefusedFields(sent, reply.detail);
      const wantsOther = limit === 'max_tokens' && reply.detail.includes('max_completion_tokens');
      if (named.length === 0 && !wantsOther) return reply;
      for (const name of named) refusedFields.add(name);
      if (wantsOther) limit = 'max_completion_tokens';
    }
  };

  return {
    open: async (start) => {
      const messages: ChatMessage[] = [{ role: 'system', content: start.prompt }];
      /** Calls that could not be parsed: their errors go back with the next request. */
      let refused: ReadCompletion['refused'] = [];
      return {
        async next(input, leftMs, signal): Promise<SubjectTurn> {
          messages.push(...refused.map(({ id, why }) => toToolMessage(id, why)), ...toChatMessages(input));
          refused = [];
          const late = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
          const reply = await ask(messages, start, AbortSignal.any([signal, late]));
          signal.throwIfAborted();
          if (late.aborted) return stoppedTurn('seconds', 'the endpoint did not answer in time');
          if (!reply.ok) return refusedTurn(reply, Object.values(secrets));
          const read = readCompletion(reply.text, options.price);
          if (read.message !== undefined) messages.push(read.message);
          refused = read.refused;
          return read.turn;
        },
        close: () => Promise.resolve(),
      };
    },
  };
}

function asFunction({ name, description, input_schema: parameters }: ToolDefinition) {
  return { type: 'function', function: { name, description, parameters } };
}

function toChatMessages(input: SubjectInput | undefined): ChatMessage[] {
  if (input === undefined) return [];
  if (input.type === 'user') return [{ role: 'user', content: input.text }];
  return input.results.map(({ id, output, is_error }) => {
    const text = formatToolResult(output);
    return toToolMessage(id, is_error ? `Error: ${text}` : text);
  });
}

function toToolMessage(id: string, text: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content: text };
}

/** A conversation that is too long is the subject's failure; a wrong key, model or request is nobody's. */
function refusedTurn(
  { stop, detail, status }: Extract<HttpReply, { ok: false }>,
  secrets: readonly string[],
): SubjectTurn {
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, '(secret)'), detail);
  const isTooLong = status === 400 && /context_length_exceeded|maximum context length/i.test(detail);
  return isTooLong
    ? { ...stoppedTurn('infrastructure', clean), end: { stop: 'cut', detail: clean } }
    : stoppedTurn(stop, clean);
}
