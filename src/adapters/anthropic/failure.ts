/** What a failed call means: our error, whether another try may help, and how long the API asks us to wait. */
import { AnthropicError, APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { HarnessError, messageOf } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { meaningOfError, type ErrorMeaning } from '../../ports/answer-meaning.ts';
import { scrub } from './scrub.ts';

export type CallFailure = {
  error: HarnessError;
  again: boolean;
  waitMs?: number;
  /** In few words, for a line of progress. */
  reason?: string;
  /** Nothing was begun for it, so nothing is paid: however often it is tried. */
  free?: boolean;
  /** The connection was lost, so nobody knows what came of it. */
  lost?: true;
};

/** Where the call went, and what was learnt of it before it failed. */
export type CallContext = {
  baseUrl: string;
  apiKey: string;
  requestId?: string;
  /** Of an error without a status. */ where?: string;
};

/** Turns whatever a call threw into a verdict. Every text and detail is free of keys. */
export function judgeFailure(thrown: unknown, context: CallContext, now: number): CallFailure {
  if (thrown instanceof APIConnectionError)
    return { ...unavailable(connectionReason(thrown), { type: 'connection' }, { thrown, context }), lost: true };
  if (thrown instanceof APIError) return judgeAnswer(thrown, context, now);
  if (thrown instanceof AnthropicError) {
    const reason = `the stream broke off (${messageOf(thrown)})`;
    return { ...unavailable(reason, { type: 'broken_stream' }, { thrown, context }), lost: true };
  }
  const message = `The call of ${context.baseUrl} failed inside the client: ${messageOf(thrown)}`;
  return { again: false, error: errorOf('infrastructure', message, { thrown, context }) };
}

/** An answer with an error body: with a status, or inside a stream without one. */
function judgeAnswer(thrown: APIError, context: CallContext, now: number): CallFailure {
  const known = describe(thrown, context);
  const { status, type, errorCode, apiMessage } = thrown;
  const [errorType, code] = [type ?? undefined, errorCode ?? undefined];
  const { means, remedy } = meaningOfError({ status, type: errorType, code, message: apiMessage ?? undefined });
  const facts = omitUndefined({ means, status, type: errorType, error_code: code });
  if (means !== 'again' && means !== 'wait') {
    const help = remedy ?? 'Sending it again cannot help.';
    const message = `The Messages API at ${context.baseUrl} refused the request: ${known} ${help}`;
    return { again: false, error: errorOf('model_refused', message, { thrown, context, facts }) };
  }
  const failure = unavailable(known, facts, { thrown, context });
  const waitMs = retryAfterMs(thrown.headers, now);
  // The server may know that another try is in vain; it is obeyed only in this direction, never to retry a 4xx.
  const again = thrown.headers?.get('x-should-retry') !== 'false';
  return { ...failure, again, ...omitUndefined({ waitMs }) };
}

type Cause = { thrown: unknown; context: CallContext };

type Facts = Record<string, unknown> & { means?: ErrorMeaning };

function unavailable(reason: string, facts: Facts, cause: Cause): CallFailure {
  const message = `The Messages API at ${cause.context.baseUrl} is not available: ${reason}`;
  return {
    again: true,
    reason: scrub(reason, cause.context.apiKey),
    error: errorOf('model_unavailable', message, { ...cause, facts: { means: 'again', ...facts } }),
  };
}

function errorOf(
  code: 'model_refused' | 'model_unavailable' | 'infrastructure',
  message: string,
  { thrown, context, facts = {} }: Cause & { facts?: Facts },
): HarnessError {
  const requestId = (thrown instanceof APIError ? thrown.requestID : undefined) ?? context.requestId;
  return new HarnessError(code, scrub(message, context.apiKey), {
    retryable: code === 'model_unavailable',
    details: { ...facts, ...omitUndefined({ requestId }) },
    // The vendor's error object holds the whole answer, which may echo the key: only its words go on.
    cause: new Error(scrub(messageOf(thrown), context.apiKey)),
  });
}

/** `529 overloaded_error: Overloaded (req_1).` A body that is not the API's own is cut short. */
function describe(error: APIError, context: CallContext): string {
  const label = [error.status ?? context.where ?? 'an error in the stream,', error.type, error.errorCode].filter(
    (part) => part !== null,
  );
  const said = error.apiMessage ?? 'the body is not an error of the Messages API';
  // Half a key would be known to nobody as one.
  const text = scrub(said, context.apiKey).replace(/\s+/g, ' ').slice(0, 600);
  const id = error.requestID ?? context.requestId;
  return `${label.join(' ')}: ${text}${id === undefined ? '' : ` (${id})`}.`;
}

function connectionReason(error: APIConnectionError): string {
  if (error instanceof APIConnectionTimeoutError) return 'the connection timed out.';
  const code = causeCode(error);
  return `no connection${code === undefined ? '' : ` (${code})`}.`;
}

/** The system's error code, from the last link of the chain of causes. */
function causeCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = causeCode(error.cause);
  return inner ?? ('code' in error && typeof error.code === 'string' ? error.code : undefined);
}

/** Undefined when the headers do not say, or say something that is no time to come. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const millis = positive(headers?.get('retry-after-ms'));
  if (millis !== undefined) return millis;
  const text = headers?.get('retry-after') ?? undefined;
  if (text === undefined) return undefined;
  const seconds = positive(text);
  if (seconds !== undefined) return seconds * 1000;
  const until = Date.parse(text) - now;
  return until > 0 ? until : undefined;
}

function positive(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 ? value : undefined;
}
