/** Takes one request through all stages: head, body, model, rules, scripts, response. */
import { type Position, findScriptedReply } from './scripts/find-reply.ts';
import { CHAT_PATH, readChat, refuseChat } from './chat/chat-endpoint.ts';
import { BODY_RULES, type ApiEndpoint, readRequest } from './rules/body-rules.ts';
import { readBetas, type Head, HTTP_RULES, findRoute, readApiVersion } from './rules/http-rules.ts';
import type { InputUsage, SimulatedPromptCache } from './cache.ts';
import { chainDigest, totalTokens } from './request/parts.ts';
import { asksFor } from './rules/compaction-rules.ts';
import {
  type FaultPlan,
  toFaultError,
  type AnswerFormat,
  jsonOutcome,
  type HttpOutcome,
  refusalOutcome,
  replyOutcome,
} from './outcome.ts';
import { describeModel, listModels } from './models-endpoint.ts';
import { findModelCard, getLifecycle } from './request/models.ts';
import { createSubmission, type Submission } from './request/submission.ts';
import type { MergedTurn } from './request/shape.ts';
import { firstRefusal, type ApiError, type Refused, type Rules, invalidRequest } from './request/refusal.ts';
import { buildReply, type Reply } from './reply.ts';
import { RULES } from './rules/rules.ts';
import { PAIR_RULES } from './rules/pair-rules.ts';
import type { FaultKind, Player } from './scripts/script.ts';
import { parseJson } from '../../parse-json.ts';
import { sealCompaction } from './request/compaction-signature.ts';
import { textTokens } from './request/tokens.ts';

/** `body` is null when it was larger than the API allows. */
export type ApiCall = Head & { query: URLSearchParams; body: string | null };

/** One line of the request log: the request, the response, and the rule that refused it. */
export type RequestRecord = Position & {
  path: string;
  status: number;
  model?: string;
  rule?: string;
  refusal?: string;
  fault?: FaultKind;
  /** The usage that the server bills; the answer was made, even if it was lost on its way. */
  billed?: Reply['usage'];
};

export type Responder = (call: ApiCall) => HttpOutcome & { record: RequestRecord };

export type ResponderOptions = {
  players: readonly Player[];
  cache: SimulatedPromptCache;
  faults: FaultPlan;
  now: () => Date;
  enforceBinding: boolean;
};

/** The state of a request on its way to a response; each stage adds to it. */
type RequestProgress = {
  options: ResponderOptions;
  call: ApiCall;
  record: RequestRecord;
  requestId: string;
  format: AnswerFormat;
};

const MESSAGES_FORMAT: AnswerFormat = { refusal: refusalOutcome, reply: replyOutcome };

export function createResponder(options: ResponderOptions): Responder {
  let served = 0;
  return (call) => {
    served += 1;
    const requestId = `req_${chainDigest(String(served), call.body).slice(0, 24)}`;
    const record: RequestRecord = { path: call.path, status: 200 };
    const outcome = routeRequest({ options, call, record, requestId, format: MESSAGES_FORMAT });
    record.status = outcome.status;
    return { ...outcome, headers: { ...outcome.headers, 'request-id': requestId }, record };
  };
}

function routeRequest(progress: RequestProgress): HttpOutcome {
  const { options, call } = progress;
  if (call.path === CHAT_PATH) return answerChat({ ...progress, format: { ...progress.format, refusal: refuseChat } });
  const headFault = firstRefusal(HTTP_RULES, call);
  if (headFault !== undefined) return respondWithRuleError(headFault, progress);
  const target = findRoute(call);
  if (target?.to === 'models') return respondWithModels(listModels(call.query, options.now()), progress);
  if (target?.to === 'model') return respondWithModels(describeModel(target.id, options.now()), progress);
  return answerMessages(target?.to ?? 'messages', progress);
}

function respondWithRuleError(refused: Refused, { record, requestId, format }: RequestProgress): HttpOutcome {
  Object.assign(record, { rule: refused.rule, refusal: refused.message });
  return format.refusal(refused, requestId);
}

function respondWithModels(found: Record<string, unknown> | ApiError, progress: RequestProgress): HttpOutcome {
  return isRefusal(found) ? respondWithRuleError({ ...found, rule: 'model' }, progress) : jsonOutcome(found);
}

const isRefusal = (found: Record<string, unknown> | ApiError): found is ApiError => typeof found['status'] === 'number';

function answerChat(progress: RequestProgress): HttpOutcome {
  const number = progress.options.faults.arrive();
  const read = readChat(progress.call);
  if ('rule' in read) return respondWithRuleError(read, progress);
  progress.record.model = read.model;
  return playScript({ ...read, number, rules: PAIR_RULES }, { ...progress, format: read.format });
}

function answerMessages(endpoint: ApiEndpoint, progress: RequestProgress): HttpOutcome {
  const number = endpoint === 'messages' ? progress.options.faults.arrive() : 0;
  const submission = readSubmission(endpoint, progress);
  return 'rule' in submission
    ? respondWithRuleError(submission, progress)
    : playScript({ submission, number, rules: RULES }, progress);
}

type CheckedCall = { submission: Submission; number: number; rules: Rules<Submission> };

function playScript({ submission, number, rules }: CheckedCall, progress: RequestProgress): HttpOutcome {
  const broken = firstRefusal(rules, submission);
  if (broken !== undefined) return respondWithRuleError(broken, progress);
  if (submission.endpoint === 'count_tokens') return jsonOutcome({ input_tokens: totalTokens(submission.parts) });
  // No script answers this: the server writes the summary itself.
  if (asksFor(submission))
    return withFault({ submission, number, who: 'compaction' }, progress, (input) =>
      buildCompaction(submission, input),
    );
  const played = findScriptedReply(progress.options.players, submission);
  Object.assign(progress.record, played.position);
  if ('refused' in played) return respondWithRuleError(played.refused, progress);
  const { answer, position } = played;
  return withFault({ submission, number, who: position.who }, progress, (input, fault) =>
    buildReply(submission, answer, { input, fault }),
  );
}

function readSubmission(endpoint: ApiEndpoint, { options, call, record }: RequestProgress): Submission | Refused {
  if (call.body === null) {
    const message = 'Request exceeds the maximum size of 32 MB';
    return { status: 413, type: 'request_too_large', message, rule: 'body_size' };
  }
  const body = parseJson(call.body);
  if (body === undefined) return { ...invalidRequest('The request body is not valid JSON'), rule: 'body_json' };
  const fault = firstRefusal(BODY_RULES, { endpoint, body });
  if (fault !== undefined) return fault;
  const request = readRequest({ endpoint, body });
  record.model = request.model;
  const model = findModelCard(request.model);
  if (model === undefined || getLifecycle(model, options.now()) === 'retired') {
    return { status: 404, type: 'not_found_error', message: `model: ${request.model}`, rule: 'model' };
  }
  return createSubmission({
    endpoint,
    request,
    model,
    version: readApiVersion(call),
    betas: readBetas(call),
    enforceBinding: options.enforceBinding,
  });
}

/** Applies a planned fault, which replaces the answer or breaks it on its way. */
function withFault(
  { submission, number, who }: { submission: Submission; number: number; who: string },
  progress: RequestProgress,
  make: (input: InputUsage, fault: FaultKind | undefined) => Reply,
): HttpOutcome {
  const { options, record, requestId, format } = progress;
  const fault = options.faults.take(number, who);
  if (fault !== undefined) record.fault = fault;
  const instead = fault === undefined ? undefined : toFaultError(fault);
  if (instead !== undefined) return respondWithRuleError({ ...instead, rule: 'fault' }, progress);
  const made = make(options.cache.account(submission, options.now()), fault);
  record.billed = made.usage;
  return format.reply(made, submission.request.stream === true, { requestId, fault });
}

const NOTHING: InputUsage = {
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};
const LINE_CHARS = 120;
const MOST_LINES = 60;

/**
 * Answers a compaction request with one signed block, billed as a separate iteration (docs/internals/api-rules.md §5.4,
 * docs/internals/compaction-cases.md T30).
 */
function buildCompaction(submission: Submission, input: InputUsage): Reply {
  const { model, prefixes, turns } = submission;
  const content = summarizeTurns(turns);
  const state = { head: prefixes.head, prefix: prefixes.last, lastRole: turns.at(-1)?.role ?? '' };
  const output = Math.ceil(textTokens(content, model.tokenFactor));
  return {
    id: `msg_${chainDigest(prefixes.last, ['compaction', model.id]).slice(0, 24)}`,
    model: model.id,
    content: [{ block: sealCompaction(content, state) }],
    stop: { stop_reason: 'compaction', stop_sequence: null, stop_details: null },
    usage: {
      ...NOTHING,
      output_tokens: 0,
      output_tokens_details: null,
      server_tool_use: null,
      iterations: [{ type: 'compaction', ...input, output_tokens: output }],
    },
  };
}

/** Summarises without a model: messages and calls, one line each; of too many lines the newest stay. */
function summarizeTurns(turns: readonly MergedTurn[]): string {
  const lines = turns.flatMap(({ role, blocks }) =>
    blocks.flatMap(({ block }) => {
      if (block.type === 'compaction') return (block.content ?? '').split('\n').filter((line) => line.startsWith('- '));
      if (block.type === 'text') return [`- ${role}: ${oneLine(block.text)}`];
      return block.type === 'tool_use' ? [`- called ${block.name} ${oneLine(JSON.stringify(block.input))}`] : [];
    }),
  );
  return ['Summary of the conversation so far.', ...lines.slice(-MOST_LINES)].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, LINE_CHARS).toWellFormed();
}
