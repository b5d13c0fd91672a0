/** Takes one Chat Completions request through rules and scripts, and answers in the endpoint's own format. */
import { parseJson } from '../../../parse-json.ts';
import { type FaultPlan, toFaultError, jsonOutcome, type HttpOutcome } from '../outcome.ts';
import { chainDigest, totalTokens } from '../request/parts.ts';
import { findModelCard } from '../request/models.ts';
import { createSubmission, type Submission } from '../request/submission.ts';
import { firstRefusal, invalidRequest, type Refused } from '../request/refusal.ts';
import type { ApiRequest } from '../request/shape.ts';
import type { Head } from '../rules/http-rules.ts';
import { findScriptedReply, type Position, type ScriptedReply } from '../scripts/find-reply.ts';
import type { FaultKind, Player } from '../scripts/script.ts';
import { CHAT_RULES, ChatRequest, chatText, type ChatMessage } from './chat-request.ts';

export const CHAT_PATH = '/v1/chat/completions';

/** The model whose tokenizer counts, because the endpoint accepts any model name. */
const COUNTED_AS = 'claude-haiku-4-5-20251001';

type ChatCall = Head & { body: string | null };
/** The fields that the request log shows for a chat call. */
type ChatRecord = Position & { model?: string; rule?: string; refusal?: string; fault?: FaultKind };
type ChatAnswering = { players: readonly Player[]; faults: FaultPlan; record: ChatRecord };

export function answerChat(call: ChatCall, { players, faults, record }: ChatAnswering): HttpOutcome {
  const refuse = (refused: Refused): HttpOutcome => {
    Object.assign(record, { rule: refused.rule, refusal: refused.message });
    return refusalOutcome(refused);
  };
  const number = faults.arrive();
  const read = readChat(call);
  if ('rule' in read) return refuse(read);
  record.model = read.model;
  const broken = firstRefusal(CHAT_RULES, read);
  if (broken !== undefined) return refuse(broken);
  const submission = toSubmission(read);
  const played = findScriptedReply(players, submission);
  Object.assign(record, played.position);
  if ('refused' in played) return refuse(played.refused);
  const fault = faults.take(number, played.position.who);
  if (fault !== undefined) record.fault = fault;
  const instead = fault === undefined ? undefined : toFaultError(fault);
  if (instead !== undefined) return refuse({ ...instead, rule: 'fault' });
  return toHttpOutcome(buildCompletion(submission, { request: read, answer: played.answer, fault }), read, fault);
}

function readChat({ method, headers, body }: ChatCall): ChatRequest | Refused {
  if (method !== 'POST') return { ...invalidRequest(`${method} is not served here`), status: 405, rule: 'route' };
  if (!/^Bearer \S+$/i.test(headers.authorization ?? '')) {
    const message = "You didn't provide an API key: Authorization: Bearer <any word> will do here";
    return { status: 401, type: 'authentication_error', message, rule: 'auth' };
  }
  const value = body === null ? undefined : parseJson(body);
  if (value === undefined)
    return { ...invalidRequest('We could not parse the JSON body of your request'), rule: 'body_json' };
  const parsed = ChatRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { ...invalidRequest(`${issue?.path.join('.') || 'body'}: ${issue?.message}`), rule: 'chat_shape' };
}

/** Converts the conversation into the form of the scripts, whose rules are the same for both endpoints. */
function toSubmission(request: ChatRequest): Submission {
  const model = findModelCard(COUNTED_AS);
  if (model === undefined) throw new Error(`The simulator has no model ${COUNTED_AS}.`);
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
  const system = request.messages
    .filter(isSystem)
    .map(({ content }) => chatText(content))
    .join('\n');
  const messages: ApiRequest = {
    ...{ model: model.id, max_tokens: request.max_completion_tokens ?? request.max_tokens ?? 4096 },
    messages: mergeMessages(request.messages.filter((message) => !isSystem(message))),
    ...(system === '' ? {} : { system }),
    ...(request.tools !== undefined && {
      tools: request.tools.map(({ function: { name, description = name, parameters = { type: 'object' } } }) => ({
        ...{ name, description, input_schema: parameters },
      })),
    }),
  };
  const head = {
    endpoint: 'messages',
    version: '2026-10-21',
    betas: new Set<string>(),
    enforceBinding: false,
  } as const;
  return createSubmission({ ...head, request: messages, model });
}

type ApiMessage = ApiRequest['messages'][number];

/** Puts the results of parallel calls into one message, as the Messages API does. */
function mergeMessages(messages: readonly ChatMessage[]): ApiMessage[] {
  const made: ApiMessage[] = [];
  for (const message of messages) {
    const content = toBlocks(message);
    const last = made.at(-1);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    if (message.role === 'tool' && last?.role === 'user' && Array.isArray(last.content)) last.content.push(...content);
    else made.push({ role, content });
  }
  return made;
}

function toBlocks(message: ChatMessage): Exclude<ApiMessage['content'], string> {
  const text = chatText(message.content);
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: text }];
  const said = text === '' ? [] : [{ type: 'text' as const, text }];
  if (message.role !== 'assistant') return said;
  const uses = (message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => ({
    ...{ type: 'tool_use' as const, id, name, input: parseJson(json) as Record<string, unknown> },
  }));
  return [...said, ...uses];
}

type ChatCompletion = { id: string; message: ChatAnswer; finish: string; usage: Record<string, unknown> };
type ChatAnswer = {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
};
type CompletionParts = { request: ChatRequest; answer: ScriptedReply; fault: FaultKind | undefined };

function buildCompletion(submission: Submission, { answer, fault }: CompletionParts): ChatCompletion {
  const name = chainDigest(submission.prefixes.end, 'chat').slice(0, 24);
  const isRefused = fault === 'refusal';
  const isCut = fault === 'max_tokens';
  const isEmpty = fault === 'empty' || isRefused;
  const said = isEmpty ? '' : (answer.say ?? '');
  const content = isCut ? said.slice(0, Math.ceil(said.length / 2)) : said;
  const calls = isEmpty || isCut ? [] : answer.calls;
  const message: ChatAnswer = {
    ...{
      role: 'assistant',
      content: content === '' ? null : content,
      refusal: isRefused ? 'Simulated refusal.' : null,
    },
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        ...{ id: `call_${name}${index}`, type: 'function' as const },
        function: { name: call.name, arguments: JSON.stringify(call.input) },
      })),
    }),
  };
  const [prompt, completion] = [totalTokens(submission.parts), Math.ceil(JSON.stringify(message).length / 4)];
  return {
    ...{ id: `chatcmpl-${name}`, message },
    finish: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

function toHttpOutcome(
  { id, message, finish, usage }: ChatCompletion,
  request: ChatRequest,
  fault: FaultKind | undefined,
): HttpOutcome {
  const head = { id, created: 1_700_000_000, model: request.model };
  if (request.stream === true) {
    const chunks = listChunks(message, finish).map((choice) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [choice],
    }));
    const counts =
      request.stream_options?.include_usage === true
        ? [{ ...head, object: 'chat.completion.chunk', choices: [], usage }]
        : [];
    const isBroken = fault === 'cut' || fault === 'mid_stream';
    const sent = isBroken ? chunks.slice(0, 1) : [...chunks, ...counts];
    const lines = sent.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    return { status: 200, headers, chunks: isBroken ? lines : [...lines, 'data: [DONE]\n\n'], hangUp: isBroken };
  }
  const body = {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage,
  };
  const whole = jsonOutcome(body);
  if (fault !== 'cut' && fault !== 'mid_stream') return whole;
  const text = JSON.stringify(body);
  return { ...whole, chunks: [text.slice(0, text.length / 2)], hangUp: true };
}

/** Splits text and arguments into two chunks each, and ends with a chunk of its own. */
function listChunks({ content, refusal, tool_calls: calls = [] }: ChatAnswer, finish: string) {
  const halves = (text: string) => [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))];
  const piece = (delta: Record<string, unknown>) => ({ index: 0, delta, finish_reason: null as string | null });
  return [
    piece({ role: 'assistant', content: content === null ? null : '', ...(refusal !== null && { refusal }) }),
    ...(content === null ? [] : halves(content).map((part) => piece({ content: part }))),
    ...calls.flatMap(({ id, type, function: { name, arguments: json } }, index) => {
      const [first = '', rest = ''] = halves(json);
      return [
        piece({ tool_calls: [{ index, id, type, function: { name, arguments: first } }] }),
        piece({ tool_calls: [{ index, function: { arguments: rest } }] }),
      ];
    }),
    { ...piece({}), finish_reason: finish },
  ];
}

/** Formats an error as this endpoint does. */
function refusalOutcome({ status, type, message, retryAfterSeconds: seconds }: Refused): HttpOutcome {
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return jsonOutcome({ error: { message, type, param: null, code: null } }, status === 529 ? 503 : status, headers);
}
