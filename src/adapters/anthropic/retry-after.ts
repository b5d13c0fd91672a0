/** How long an answer asks us to wait: `retry-after-ms`, else `retry-after` in seconds or as a date. */

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
