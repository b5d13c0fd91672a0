/** The rules of the Chat Completions endpoint for well-formed requests: order, ids, arguments, limits. */
import { parseJson } from '../../../parse-json.ts';
import { invalidRequest, type ApiError, type Rule } from '../request/refusal.ts';
import { chatText, type ChatMessage, type ChatRequest } from './shape.ts';

export const CHAT_RULES: readonly Rule<ChatRequest>[] = [
  { id: 'chat_system_first', check: systemFirst },
  { id: 'chat_assistant_says', check: assistantSays },
  { id: 'chat_call_ids', check: callIds },
  { id: 'chat_arguments', check: argumentsAreJson },
  { id: 'chat_calls_answered', check: callsAnswered },
  { id: 'chat_result_expected', check: resultsExpected },
  { id: 'chat_ends_open', check: endsOpen },
  { id: 'chat_limits', check: oneLimit },
  { id: 'chat_stream_options', check: streamOptions },
  { id: 'chat_tools_defined', check: toolsDefined },
];

type Assistant = Extract<ChatMessage, { role: 'assistant' }>;

const listToolCalls = (message: ChatMessage | undefined) =>
  message?.role === 'assistant' ? (message.tool_calls ?? []) : [];
const listAssistants = ({ messages }: ChatRequest) =>
  messages.flatMap((message, index) =>
    message.role === 'assistant' ? [{ message: message satisfies Assistant, index }] : [],
  );

function systemFirst({ messages }: ChatRequest): ApiError | undefined {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const late = messages.findIndex(({ role }, index) => index > first && (role === 'system' || role === 'developer'));
  return first !== -1 && late !== -1
    ? invalidRequest(`messages[${late}]: a system message is inside the conversation`)
    : undefined;
}

function assistantSays(request: ChatRequest): ApiError | undefined {
  const mute = listAssistants(request).find(
    ({ message }) => chatText(message.content) === '' && listToolCalls(message).length === 0,
  );
  return (
    mute && invalidRequest(`messages[${mute.index}]: an assistant message must have either 'content' or 'tool_calls'`)
  );
}

function callIds(request: ChatRequest): ApiError | undefined {
  for (const { message, index } of listAssistants(request)) {
    const ids = listToolCalls(message).map(({ id }) => id);
    const twice = ids.find((id, at) => ids.indexOf(id) !== at);
    if (twice !== undefined) return invalidRequest(`messages[${index}].tool_calls: the id ${twice} occurs twice`);
  }
  return undefined;
}

/** Stricter than some servers: an assistant message must be one that a model may have written. */
function argumentsAreJson(request: ChatRequest): ApiError | undefined {
  for (const { message, index } of listAssistants(request)) {
    const wrong = listToolCalls(message).find((call) => {
      const value: unknown = parseJson(call.function.arguments);
      return typeof value !== 'object' || value === null || Array.isArray(value);
    });
    if (wrong !== undefined)
      return invalidRequest(
        `messages[${index}].tool_calls: the arguments of ${wrong.id} must be a JSON object in a string`,
      );
  }
  return undefined;
}

function callsAnswered({ messages }: ChatRequest): ApiError | undefined {
  for (const [index, message] of messages.entries()) {
    const answered = new Set<string>();
    for (const next of messages.slice(index + 1)) {
      if (next.role !== 'tool') break;
      answered.add(next.tool_call_id);
    }
    const open = listToolCalls(message).filter(({ id }) => !answered.has(id));
    if (open.length === 0) continue;
    return invalidRequest(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${open.map(({ id }) => id).join(', ')}`,
    );
  }
  return undefined;
}

function resultsExpected({ messages }: ChatRequest): ApiError | undefined {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') {
      open = listToolCalls(message).map(({ id }) => id);
      continue;
    }
    if (!open.includes(message.tool_call_id))
      return invalidRequest(
        `messages[${index}]: messages with role 'tool' must be a response to a preceeding message with 'tool_calls': ${message.tool_call_id}`,
      );
    open = open.filter((id) => id !== message.tool_call_id);
  }
  return undefined;
}

function endsOpen({ messages }: ChatRequest): ApiError | undefined {
  return messages.at(-1)?.role === 'assistant'
    ? invalidRequest('messages: the last message is the assistant’s own')
    : undefined;
}

function oneLimit({ max_tokens: old, max_completion_tokens: newer }: ChatRequest): ApiError | undefined {
  const both = typeof old === 'number' && typeof newer === 'number';
  return both ? invalidRequest("'max_tokens' and 'max_completion_tokens' cannot both be set") : undefined;
}

function streamOptions({ stream, stream_options: options }: ChatRequest): ApiError | undefined {
  const isAlone = options !== undefined && options !== null && stream !== true;
  return isAlone ? invalidRequest("'stream_options' is only allowed when 'stream' is enabled") : undefined;
}

function toolsDefined({ messages, tools }: ChatRequest): ApiError | undefined {
  const called = messages.some((message) => listToolCalls(message).length > 0);
  return called && tools === undefined
    ? invalidRequest("'tools' is required where messages have 'tool_calls'")
    : undefined;
}
