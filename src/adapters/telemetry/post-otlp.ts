/** One request to an OTLP receiver, and what its answer means for what was sent. */
import { messageOf } from '../../errors.ts';

export type Receiver = { url: string; headers: Readonly<Record<string, string>>; timeoutMs: number };
export type ExportOutcome = { type: 'sent' } | { type: 'later' | 'never'; why: string };

/** What the protocol calls retryable; everything else would be refused again. */
const AGAIN = new Set([429, 502, 503, 504]);

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
    return { type: AGAIN.has(response.status) ? 'later' : 'never', why: `it answered ${response.status}` };
  } catch (error) {
    return { type: 'later', why: messageOf(error) };
  }
}

/** For people: the address may hold a token in its path or query. */
export function originOf(url: string): string {
  return new URL(url).origin;
}
