/** Posts a JSON body to an address of the operator, and tries again after short pauses while that can help. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { createNoticeError, type NoticeFault } from '../../ports/notices.ts';

export type PostRequest = { url: string; body: string; headers: Record<string, string>; channel: string };
/** `timeoutMs`: the limit of each try. */
export type PostRetries = { tries: number; pauseMs: number; timeoutMs: number };

type PostFailure = NoticeFault & { why: string; again: boolean };

/** Statuses that refuse only this message; any other refusal would meet the next message too. */
const OF_THE_MESSAGE = new Set([400, 413, 415, 422]);
/** The longest accepted pause, whatever the receiver asks for. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

export async function postJson(post: PostRequest, tries: PostRetries, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const fault = await tryOnce(post, tries.timeoutMs, signal);
    if (fault === undefined) return;
    const { why, again, ...facts } = fault;
    // The address may itself be a secret, so the message does not contain it.
    if (!again || attempt >= tries.tries) throw createNoticeError(`The ${post.channel} took no notice: ${why}.`, facts);
    await sleep(tries.pauseMs * 2 ** (attempt - 1), undefined, { signal });
  }
}

async function tryOnce(
  { url, body, headers }: PostRequest,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PostFailure | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
      // The operator chooses where a signed body goes, so redirects are not followed.
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : toPostFailure(response);
  } catch (error) {
    signal.throwIfAborted();
    // A receiver that hangs once is not tried again at once.
    if (timeout.aborted) return { of: 'channel', again: false, why: `it did not answer within ${timeoutMs / 1000} s` };
    return { of: 'channel', again: true, why: `it could not be reached (${describeCause(error, url)})` };
  }
}

/** The error of `fetch` says only that it failed; its cause says why. The address is taken out of it. */
function describeCause(error: unknown, url: string): string {
  const { cause = error } = error instanceof Error ? error : {};
  const why = describeError(cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause);
  const { host, hostname } = new URL(url);
  return why.replaceAll(host, 'it').replaceAll(hostname, 'it');
}

function toPostFailure({ status, headers }: Response): PostFailure {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
  const again = retryAfterMs === undefined && (status === 429 || status >= 500);
  const of = OF_THE_MESSAGE.has(status) ? ('message' as const) : ('channel' as const);
  return omitUndefined({ of, again, retryAfterMs, why: `it answered ${status}` });
}

/** Parses seconds or a date; returns undefined for any other text. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS) : undefined;
}
