/** Judges a failed call: the error to throw, whether another try may help, and how long the API asks to wait. */
import { AnthropicError, APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { HarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { getErrorMeaning, type ErrorMeaning } from '../../ports/answer-meaning.ts';
import { scrubSecrets } from './scrub.ts';

export type CallFailure = {
  error: HarnessError;
  again: boolean;
  waitMs?: number;
  /** A short reason for the progress line. */
  reason?: string;
  /** The call was never begun, so it costs nothing, however often it is tried. */
  free?: boolean;
  /** The connection was lost, so it is not known whether the request was answered. */
  lost?: true;
};

/** The endpoint of a call, and what was known of the call before it failed. */
export type CallContext = {
  baseUrl: string;
  apiKey: string;
  requestId?: string;
};

/** Judges anything that a call may throw. No text or detail of the result contains a key. */
export function judgeFailure(thrown: unknown, context: CallContext, now: number): CallFailure {
  if (thrown instanceof APIConnectionError)
    return { ...toUnavailable(connectionReason(thrown), { type: 'connection' }, { thrown, context }), lost: true };
  if (thrown instanceof APIError) return judgeAnswer(thrown, context, now);
  if (thrown instanceof AnthropicError) {
    const reason = `the stream broke off (${describeError(thrown)})`;
    return { ...toUnavailable(reason, { type: 'broken_stream' }, { thrown, context }), lost: true };
  }
  const message = `The call of ${context.baseUrl} failed inside the client: ${describeError(thrown)}`;
  return { again: false, error: createCallError('infrastructure', message, { thrown, context }) };
}

/** Judges an answer with an error body: one with a status, or one inside a stream without a status. */
function judgeAnswer(thrown: APIError, context: CallContext, now: number): CallFailure {
  const known = describeApiError(thrown, context);
  const { status, type, errorCode, apiMessage } = thrown;
  const [errorType, code] = [type ?? undefined, errorCode ?? undefined];
  const { means, remedy } = getErrorMeaning({ status, type: errorType, code, message: apiMessage ?? undefined });
  const facts = omitUndefined({ means, status, type: errorType, error_code: code });
  if (means !== 'again' && means !== 'wait') {
    const help = remedy ?? 'Sending it again cannot help.';
    const message = `The Messages API at ${context.baseUrl} refused the request: ${known} ${help}`;
    return { again: false, error: createCallError('model_refused', message, { thrown, context, facts }) };
  }
  const failure = toUnavailable(known, facts, { thrown, context });
  const waitMs = retryAfterMs(thrown.headers, now);
  // The header is obeyed only when it forbids another try, and never to retry a 4xx.
  const again = thrown.headers?.get('x-should-retry') !== 'false';
  return { ...failure, again, ...omitUndefined({ waitMs }) };
}

type FailureCause = { thrown: unknown; context: CallContext };

type ErrorDetails = Record<string, unknown> & { means?: ErrorMeaning };

function toUnavailable(reason: string, facts: ErrorDetails, cause: FailureCause): CallFailure {
  const message = `The Messages API at ${cause.context.baseUrl} is not available: ${reason}`;
  return {
    again: true,
    reason: scrubSecrets(reason, cause.context.apiKey),
    error: createCallError('model_unavailable', message, { ...cause, facts: { means: 'again', ...facts } }),
  };
}

function createCallError(
  code: 'model_refused' | 'model_unavailable' | 'infrastructure',
  message: string,
  { thrown, context, facts = {} }: FailureCause & { facts?: ErrorDetails },
): HarnessError {
  const requestId = (thrown instanceof APIError ? thrown.requestID : undefined) ?? context.requestId;
  return new HarnessError(code, scrubSecrets(message, context.apiKey), {
    retryable: code === 'model_unavailable',
    details: { ...facts, ...omitUndefined({ requestId }) },
    // The vendor's error object holds the whole answer, which may echo the key, so only its message is kept.
    cause: new Error(scrubSecrets(describeError(thrown), context.apiKey)),
  });
}

/** `529 overloaded_error: Overloaded (req_1).` A body that is not the API's own is cut short. */
function describeApiError(error: APIError, context: CallContext): string {
  const parts = [error.status ?? 'an error in the stream,', error.type, error.errorCode];
  const label = parts.filter((part) => part !== null);
  const said = error.apiMessage ?? 'the body is not an error of the Messages API';
  // The key is removed before the text is cut, because half a key would not be recognized.
  const text = scrubSecrets(said, context.apiKey).replace(/\s+/g, ' ').slice(0, 600);
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

/** Returns undefined when the headers state no pause, or a time that has passed. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const millis = parsePositive(headers?.get('retry-after-ms'));
  if (millis !== undefined) return millis;
  const text = headers?.get('retry-after') ?? undefined;
  if (text === undefined) return undefined;
  const seconds = parsePositive(text);
  if (seconds !== undefined) return seconds * 1000;
  const until = Date.parse(text) - now;
  return until > 0 ? until : undefined;
}

function parsePositive(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 ? value : undefined;
}
