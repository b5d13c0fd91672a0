/** Gives the meaning of a Messages API answer or error for its caller: two tables, in the order of its documentation. */
import { HarnessError } from '../errors.ts';
import type { Message, ToolUseBlock } from '../transcript/message.ts';
import type { ModelRequest, ModelResponse } from './model.ts';

/**
 * `use`: the answer may be used, and only then it is remembered. `again`: send the same request once more. `compact`:
 * send it after a compaction. `fallback`: send it to the agent's `fallback_model`. If none helps, a person has to act.
 */
export type AnswerMeaning = 'use' | 'again' | 'compact' | 'fallback';

/** The caller is an agent at work, or a participant of a sample, whose refusals are results. */
export type CallerKind = 'agent' | 'participant';

export type AnswerRow = Readonly<Record<CallerKind, AnswerMeaning>> & {
  /** Number of repeats of the same request before anything else is tried, since a model may answer differently. */
  again: number;
};

const USABLE: AnswerRow = { agent: 'use', participant: 'use', again: 0 };

/** Rows by stop reason (docs/internals/api-rules.md §2.8). */
export const ANSWERS: Readonly<Record<string, AnswerRow>> = {
  end_turn: USABLE,
  stop_sequence: USABLE,
  tool_use: USABLE,
  // The beginning of the answer is used; a call in it is never run.
  max_tokens: USABLE,
  refusal: { agent: 'fallback', participant: 'use', again: 1 },
  // The next request ends with this answer, and the server goes on.
  pause_turn: USABLE,
  model_context_window_exceeded: { agent: 'compact', participant: 'use', again: 0 },
  // Only a request that asks for a compaction may use one.
  compaction: { agent: 'again', participant: 'again', again: 1 },
};

/** Ids must be unique in a whole request, so an answer that repeats one cannot be sent back (docs/internals/api-rules.md §2.3). */
export const DUPLICATE_TOOL_ID: AnswerRow = { agent: 'again', participant: 'again', again: 2 };

/** Row for a stop reason that this version does not know. */
export const NEW_STOP_REASON: AnswerRow = { agent: 'again', participant: 'again', again: 1 };

export type JudgedAnswer = {
  means: AnswerMeaning;
  again: number;
  /** Explanation for people; empty for an answer that may be used. */
  why: string;
};

export function judgeAnswer(response: ModelResponse, request: ModelRequest, caller: CallerKind): JudgedAnswer {
  const { stopReason } = response;
  if (stopReason === 'compaction' && request.compaction !== undefined) return { means: 'use', again: 0, why: '' };
  const repeated = findRepeatedToolId(response, request);
  const row = repeated === undefined ? (ANSWERS[stopReason] ?? NEW_STOP_REASON) : DUPLICATE_TOOL_ID;
  const means = row[caller];
  return { means, again: row.again, why: means === 'use' ? '' : explainUnusable(response, repeated) };
}

/** Finds the first tool call id that the conversation holds already, or that the answer holds twice. */
function findRepeatedToolId({ content }: ModelResponse, { messages }: ModelRequest): string | undefined {
  const uses = listToolUses(content);
  if (uses.length === 0) return undefined;
  const known = new Set(messages.flatMap((message) => listToolUses(message.content).map(({ id }) => id)));
  return uses.find(({ id }) => known.has(id) || known.add(id) === undefined)?.id;
}

function explainUnusable({ model, stopReason, stopDetails }: ModelResponse, repeated: string | undefined): string {
  if (repeated !== undefined) return `${model} repeated the id ${repeated} of an earlier tool call`;
  if (stopReason === 'refusal') return `${model} refused to answer${formatDetails(stopDetails)}`;
  if (stopReason === 'model_context_window_exceeded') return `the answer of ${model} did not fit into its window`;
  const known = ANSWERS[stopReason] !== undefined;
  return `${model} stopped with ${stopReason}, which ${known ? 'no request here asks for' : 'is new to this version'}`;
}

function formatDetails(details: ModelResponse['stopDetails']): string {
  const { category, explanation } = details ?? {};
  const parts = [category === undefined ? '' : ` (${category})`, explanation === undefined ? '' : `: ${explanation}`];
  return parts.join('');
}

/** Filters by hand, since every command reads this file at its start and must not load the message schemas. */
function listToolUses(content: Message['content']): ToolUseBlock[] {
  return content.filter((block) => block.type === 'tool_use');
}

/**
 * `again`: another try may help. `wait`: it may help after the pause that the provider has requested. `compact`: the
 * request is too long. `without_thinking`: its thinking is bound to another conversation. `account`: a person must fix
 * key, account, model or limit before the same request works. `bug`: the request itself is wrong.
 */
export type ErrorMeaning = 'again' | 'wait' | 'compact' | 'without_thinking' | 'account' | 'bug';

export type ErrorRow = {
  /** Any status when absent. An error inside a stream has no status, and is found by its type. */
  status?: number;
  type?: string;
  code?: RegExp;
  /** Matches messages for which the API has no code. Their wording may change; then the row below applies. */
  says?: RegExp;
  means: ErrorMeaning;
  /** Advice for a person. */
  remedy?: string;
};

const SPEND_LIMIT = 'Raise the spend limit of the account, or wait until it begins anew.';

/** The first matching row applies (docs/internals/api-rules.md §3). */
export const ERRORS: readonly ErrorRow[] = [
  { code: /spend_limit_reached$/, means: 'account', remedy: SPEND_LIMIT },
  {
    status: 400,
    type: 'invalid_request_error',
    says: /usage limit|spend limit/i,
    means: 'account',
    remedy: SPEND_LIMIT,
  },
  {
    ...{ status: 400, type: 'invalid_request_error', says: /credit balance/i, means: 'account' },
    remedy: 'Add credit to the account.',
  },
  {
    ...{ status: 400, type: 'invalid_request_error', says: /prompt is too long|exceeds? (?:the )?context/i },
    ...{ means: 'compact', remedy: 'Lower the trigger of the agent (agents/<name>/agent.yaml).' },
  },
  {
    ...{
      status: 400,
      type: 'invalid_request_error',
      says: /(?:signature|thinking).*(?:bound to|cannot be modified|invalid)|invalid.*signature/is,
    },
    ...{ means: 'without_thinking' },
  },
  { status: 400, type: 'invalid_request_error', means: 'bug' },
  { status: 401, type: 'authentication_error', means: 'account', remedy: 'Set ANTHROPIC_API_KEY to a valid key.' },
  { status: 402, type: 'billing_error', means: 'account', remedy: 'Settle the billing of the account.' },
  { status: 403, type: 'permission_error', means: 'account', remedy: 'Use a key that may call this model.' },
  {
    ...{ status: 404, type: 'not_found_error', means: 'account' },
    remedy: 'Check the model name: the endpoint does not serve it, or it is retired.',
  },
  { status: 408, means: 'again' },
  { status: 409, type: 'conflict_error', means: 'again' },
  {
    ...{ status: 413, type: 'request_too_large', means: 'compact' },
    remedy: 'Lower the compaction threshold: the request is larger than the API takes.',
  },
  { status: 422, means: 'bug' },
  { status: 429, type: 'rate_limit_error', means: 'wait' },
  { status: 500, type: 'api_error', means: 'again' },
  { status: 504, type: 'timeout_error', means: 'again' },
  { status: 529, type: 'overloaded_error', means: 'wait' },
];

export type ApiFault = {
  status?: number | undefined;
  type?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
};

/** Unlisted errors: another 4xx is a wrong request; another 5xx, a cut stream and a lost connection are temporary. */
export function getErrorMeaning(fault: ApiFault): Pick<ErrorRow, 'means' | 'remedy'> {
  const row = ERRORS.find((one) => matchesRow(one, fault));
  if (row !== undefined) return row;
  return { means: fault.status !== undefined && fault.status < 500 ? 'bug' : 'again' };
}

function matchesRow({ status, type, code, says }: ErrorRow, fault: ApiFault): boolean {
  if (code !== undefined && !code.test(fault.code ?? '')) return false;
  if (says !== undefined && !says.test(fault.message ?? '')) return false;
  if (fault.status !== undefined) return status === undefined || status === fault.status;
  return type === undefined ? status === undefined : type === fault.type;
}

/** Reads the meaning from a `model_refused` or `model_unavailable`; undefined for every other error. */
export function readMeaning(error: unknown): ErrorMeaning | undefined {
  if (!(error instanceof HarnessError)) return undefined;
  const { means } = error.details;
  return MEANINGS.find((one) => one === means);
}

const MEANINGS: readonly ErrorMeaning[] = ['again', 'wait', 'compact', 'without_thinking', 'account', 'bug'];
