/** A JSON body posted to an address of the operator, tried again with growing pauses while that can help. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HarnessError, messageOf } from '../../errors.ts';

export type Post = { url: string; body: string; headers: Record<string, string>; channel: string };
export type Tries = { tries: number; pauseMs: number };

const TIMEOUT_MS = 10_000;

export async function postJson(post: Post, { tries, pauseMs }: Tries, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const fault = await tryOnce(post, signal);
    if (fault === undefined) return;
    // The address may itself be a secret, so no message holds it.
    if (!fault.again || attempt >= tries) {
      throw new HarnessError('infrastructure', `The ${post.channel} took no notice: ${fault.why}.`, {
        retryable: fault.again,
      });
    }
    await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal });
  }
}

async function tryOnce(
  { url, body, headers }: Post,
  signal: AbortSignal,
): Promise<{ why: string; again: boolean } | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
      // The operator chooses where a signed body goes, so redirects are not followed.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (response.ok) return undefined;
    return { why: `it answered ${response.status}`, again: response.status === 429 || response.status >= 500 };
  } catch (error) {
    signal.throwIfAborted();
    return { why: `it could not be reached (${messageOf(error)})`, again: true };
  }
}
