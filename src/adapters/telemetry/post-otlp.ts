/** Sends one request to an OTLP receiver, and interprets its answer. */
import { describeError } from '../../errors.ts';

export type Receiver = { url: string; headers: Readonly<Record<string, string>>; timeoutMs: number };
export type ExportOutcome = { type: 'sent' } | { type: 'later' | 'never'; why: string };

/** Status codes that the protocol calls retryable; any other would be refused again. */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Contract: never rejects. */
export async function postOtlp({ url, headers, timeoutMs }: Receiver, request: unknown): Promise<ExportOutcome> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (response.ok) return { type: 'sent' };
    return { type: RETRYABLE.has(response.status) ? 'later' : 'never', why: `it answered ${response.status}` };
  } catch (error) {
    return { type: 'later', why: describeError(error) };
  }
}

/** For messages to people: the path or query of the address may hold a token. */
export function formatOrigin(url: string): string {
  return new URL(url).origin;
}
