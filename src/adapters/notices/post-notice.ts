/** Posts a notice to an address of the operator; what goes wrong is told with what can be done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { createNoticeError, type NoticeFault } from '../../ports/notices.ts';

/** `variable` names the environment variable with the address. */
export type PostTarget = { url: string; channel: string; variable: string };

type PostRequest = PostTarget & { body: string; headers: Record<string, string> };
/** `timeoutMs`: the limit of each try. */
export type PostRetries = { tries: number; pauseMs: number; timeoutMs: number };

/** `remedy` is a sentence. */
type PostFailure = NoticeFault & { why: string; remedy: string; again: boolean };

/** Statuses that refuse only this message; any other refusal would meet the next message too. */
const OF_THE_MESSAGE = new Set([400, 413, 415, 422]);
/** The longest accepted pause, whatever the receiver asks for. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/** Posts a JSON body to an address of the operator, and tries again after short pauses while that can help. */
export async function postJson(post: PostRequest, tries: PostRetries, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const fault = await tryOnce(post, tries.timeoutMs, signal);
    if (fault === undefined) return;
    const { why, remedy, again, ...facts } = fault;
    // The address may itself be a secret, so the message does not contain it.
    if (!again || attempt >= tries.tries)
      throw createNoticeError(`The ${post.channel} took no notice: ${why}. ${remedy}`, facts);
    await sleep(tries.pauseMs * 2 ** (attempt - 1), undefined, { signal });
  }
}

async function tryOnce(
  { url, body, headers, variable }: PostRequest,
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
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : toPostFailure(response, variable);
  } catch (error) {
    signal.throwIfAborted();
    const mend = `Mend the address in ${variable}, or see that its server is up and no firewall or proxy is between.`;
    const of = 'channel';
    // A receiver that hangs once is not tried again at once.
    if (timeout.aborted)
      return { of, again: false, why: `it did not answer within ${timeoutMs / 1000} s`, remedy: mend };
    const why = describeCause(error, url);
    return { of, again: true, why: `it could not be reached (${why})`, remedy: findTlsRemedy(error, variable) ?? mend };
  }
}

/** The error of \`fetch\` says only that it failed; its cause says why. */
function findCause(error: unknown): unknown {
  const { cause = error } = error instanceof Error ? error : {};
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
}

/** The address is taken out of it. */
function describeCause(error: unknown, url: string): string {
  const { host, hostname } = new URL(url);
  // OpenSSL's own error is a line of its source.
  const why = describeError(findCause(error)).replace(/^.*SSL routines:\w*:([^:]*):.*$/s, 'TLS fails: $1');
  return why.replaceAll(host, 'it').replaceAll(hostname, 'it');
}

function findTlsRemedy(error: unknown, variable: string): string | undefined {
  const { code = '' } = findCause(error) as { code?: string };
  if (/CERT|SELF_SIGNED|^UNABLE_TO_/.test(code))
    return `Give it a certificate for the name in ${variable}; one of your own CA is trusted by NODE_EXTRA_CA_CERTS=<file>.`;
  if (/SSL|TLS/.test(code)) return `What listens there speaks no TLS that we know: mend the port in ${variable}.`;
  return undefined;
}

function toPostFailure({ status, headers }: Response, variable: string): PostFailure {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
  const again = retryAfterMs === undefined && (status === 429 || status >= 500);
  const of = OF_THE_MESSAGE.has(status) ? ('message' as const) : ('channel' as const);
  return omitUndefined({ of, again, retryAfterMs, why: `it answered ${status}`, remedy: findRemedy(status, variable) });
}

function findRemedy(status: number, variable: string): string {
  if (status < 400) return `It leads elsewhere: put the address to which it leads into ${variable}.`;
  if (status === 401 || status === 403) return `It does not know us: get a new address for ${variable}, or its secret.`;
  if (status === 404 || status === 410) return `There is no such receiver: get its address for ${variable} again.`;
  if (status === 429) return 'It takes no more for now: fewer kinds: of notices go there, or wait.';
  if (status >= 500) return 'The log of its server says why; nothing has to change here.';
  return `It reads other messages: is the address in ${variable} one for this kind of channel (docs/notices.md)?`;
}

/** Parses seconds or a date; returns undefined for any other text. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS) : undefined;
}
