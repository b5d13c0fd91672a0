/** One request through all stages: head, body, model, rules, scripts, and out. */
import { type ScriptMatch, type Position, findScriptedReply } from './scripts/find-reply.ts';
import { answerChat, CHAT_PATH } from './chat/chat-reply.ts';
import { BODY_RULES, type ApiEndpoint, readRequest } from './rules/body-rules.ts';
import type { AnswerOne, BatchEndpoint } from './batches/batch-endpoint.ts';
import { type BatchRoute, betasOf, type Head, HTTP_RULES, routeOf, versionOf } from './rules/http-rules.ts';
import type { InputUsage, SimulatedPromptCache } from './cache.ts';
import { link } from './request/canonical.ts';
import { asksFor } from './rules/compaction-rules.ts';
import { type FaultPlan, refusalOf } from './faults.ts';
import { describeModel, listModels } from './models-endpoint.ts';
import { findModelCard, lifecycleOf } from './request/models.ts';
import { jsonOutcome, type HttpOutcome, refusalOutcome, replyOutcome } from './outcome.ts';
import { totalTokens } from './request/parts.ts';
import { firstRefusal, type ApiError, type Refused, invalid } from './request/refusal.ts';
import { buildReply, type Reply } from './reply.ts';
import { RULES } from './rules/rules.ts';
import type { FaultKind, Player } from './scripts/script.ts';
import { createSubmission, type Submission } from './request/submission.ts';
import { parseJson } from '../../parse-json.ts';
import { sealCompaction } from './request/compaction-signature.ts';
import { textTokens } from './request/tokens.ts';
import type { Turn } from './request/turns.ts';

/** Null when the body was larger than the API takes. */
export type ApiCall = Head & { query: URLSearchParams; body: string | null };

/** One line of the request log: what came, what was answered, and by which rule it was refused. */
export type RequestRecord = Position & {
  path: string;
  status: number;
  model?: string;
  rule?: string;
  refusal?: string;
  fault?: FaultKind;
  /** What the server counts as used: whatever became of the answer on its way, it was made. */
  billed?: Reply['usage'];
  /** What was done with a batch. */
  batch?: BatchRoute['does'];
};

export type Responder = (call: ApiCall) => HttpOutcome & { record: RequestRecord };

export type ResponderOptions = {
  players: readonly Player[];
  cache: SimulatedPromptCache;
  faults: FaultPlan;
  batches: BatchEndpoint;
  now: () => Date;
  enforceBinding: boolean;
};

/** What is known of a request by the time it is answered; it fills up from stage to stage. */
type Progress = { options: ResponderOptions; call: ApiCall; record: RequestRecord; requestId: string };

export function createResponder(options: ResponderOptions): Responder {
  let served = 0;
  return (call) => {
    served += 1;
    const requestId = `req_${link(String(served), call.body).slice(0, 24)}`;
    const record: RequestRecord = { path: call.path, status: 200 };
    const outcome = route({ options, call, record, requestId });
    record.status = outcome.status;
    return { ...outcome, headers: { ...outcome.headers, 'request-id': requestId }, record };
  };
}

function route(progress: Progress): HttpOutcome {
  const { options, call } = progress;
  if (call.path === CHAT_PATH) return answerChat(call, { ...options, record: progress.record });
  const headFault = firstRefusal(HTTP_RULES, call);
  if (headFault !== undefined) return respondWithRuleError(headFault, progress);
  const target = routeOf(call);
  if (target?.to === 'models') return catalogue(listModels(call.query, options.now()), progress);
  if (target?.to === 'model') return catalogue(describeModel(target.id, options.now()), progress);
  if (target?.to === 'batch' || target?.to === 'batches') {
    progress.record.batch = target.does;
    const found = options.batches.answer(call, target, oneOfBatch(progress));
    return 'chunks' in found ? found : respondWithRuleError({ ...found, rule: 'batch' }, progress);
  }
  return take(target?.to ?? 'messages', progress);
}

/** By the same rules and scripts as a live call; it is no request of its own in the log. */
function oneOfBatch({ options, requestId }: Progress): AnswerOne {
  return (params, batch) => {
    const call = { ...batch, body: JSON.stringify(params) };
    return take('messages', { options, call, record: { path: batch.path, status: 200 }, requestId });
  };
}

function respondWithRuleError(refused: Refused, { record, requestId }: Progress): HttpOutcome {
  Object.assign(record, { rule: refused.rule, refusal: refused.message });
  return refusalOutcome(refused, requestId);
}

function catalogue(found: Record<string, unknown> | ApiError, progress: Progress): HttpOutcome {
  return isRefusal(found) ? respondWithRuleError({ ...found, rule: 'model' }, progress) : jsonOutcome(found);
}

function isRefusal(found: Record<string, unknown> | ApiError): found is ApiError {
  return typeof found['status'] === 'number';
}

function take(endpoint: ApiEndpoint, progress: Progress): HttpOutcome {
  const { options } = progress;
  const number = endpoint === 'messages' ? options.faults.arrive() : 0;
  const submission = readSubmission(endpoint, progress);
  if ('rule' in submission) return respondWithRuleError(submission, progress);
  const broken = firstRefusal(RULES, submission);
  if (broken !== undefined) return respondWithRuleError(broken, progress);
  if (endpoint === 'count_tokens') return jsonOutcome({ input_tokens: totalTokens(submission.parts) });
  if (asksFor(submission)) return compactionReply(submission, number, progress);
  const played = findScriptedReply(options.players, submission);
  Object.assign(progress.record, played.position);
  return 'refused' in played
    ? respondWithRuleError(played.refused, progress)
    : reply(submission, { ...played, number }, progress);
}

/** No script has a say in it: the summary is the server's own. */
function compactionReply(submission: Submission, number: number, progress: Progress): HttpOutcome {
  return withFault({ submission, number, who: 'compaction' }, progress, (input) => buildCompaction(submission, input));
}

function readSubmission(endpoint: ApiEndpoint, { options, call, record }: Progress): Submission | Refused {
  if (call.body === null) {
    return {
      status: 413,
      type: 'request_too_large',
      message: 'Request exceeds the maximum size of 32 MB',
      rule: 'body_size',
    };
  }
  const body = parseJson(call.body);
  if (body === undefined) return { ...invalid('The request body is not valid JSON'), rule: 'body_json' };
  const fault = firstRefusal(BODY_RULES, { endpoint, body });
  if (fault !== undefined) return fault;
  const request = readRequest({ endpoint, body });
  record.model = request.model;
  const model = findModelCard(request.model);
  if (model === undefined || lifecycleOf(model, options.now()) === 'retired') {
    return { status: 404, type: 'not_found_error', message: `model: ${request.model}`, rule: 'model' };
  }
  const { enforceBinding } = options;
  return createSubmission({ endpoint, request, model, version: versionOf(call), betas: betasOf(call), enforceBinding });
}

function reply(submission: Submission, played: ScriptMatch & { number: number }, progress: Progress): HttpOutcome {
  const { answer, position, number } = played;
  return withFault({ submission, number, who: position.who }, progress, (input, fault) =>
    buildReply(submission, answer, { input, fault }),
  );
}

type Numbered = { submission: Submission; number: number; who: string };

/** A planned fault comes instead of the answer, or breaks it on its way. */
function withFault(
  { submission, number, who }: Numbered,
  progress: Progress,
  make: (input: InputUsage, fault: FaultKind | undefined) => Reply,
): HttpOutcome {
  const { options, record, requestId } = progress;
  const fault = options.faults.take(number, who);
  if (fault !== undefined) record.fault = fault;
  const instead = fault === undefined ? undefined : refusalOf(fault);
  if (instead !== undefined) return respondWithRuleError({ ...instead, rule: 'fault' }, progress);
  const made = make(options.cache.account(submission, options.now()), fault);
  record.billed = made.usage;
  return replyOutcome(made, submission.request.stream === true, { requestId, fault });
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
 * The answer to a compaction request: one signed block, billed as an iteration of its own (docs/api-rules.md §5.4,
 * docs/compaction-cases.md T30).
 */
function buildCompaction(submission: Submission, input: InputUsage): Reply {
  const { model, prefixes, turns } = submission;
  const content = summaryOf(turns);
  const state = { head: prefixes.head, prefix: prefixes.last, lastRole: turns.at(-1)?.role ?? '' };
  const output = Math.ceil(textTokens(content, model.tokenFactor));
  return {
    id: `msg_${link(prefixes.last, ['compaction', model.id]).slice(0, 24)}`,
    model: model.id,
    content: [{ block: sealCompaction(content, state) }],
    stop: { stop_reason: 'compaction', stop_sequence: null, stop_details: null },
    usage: {
      ...NOTHING,
      output_tokens: 0,
      output_tokens_details: null,
      iterations: [{ type: 'compaction', ...input, output_tokens: output }],
    },
  };
}

/** No model writes here: messages and calls, each in one line; when there is too much, the newest stay. */
function summaryOf(turns: readonly Turn[]): string {
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
