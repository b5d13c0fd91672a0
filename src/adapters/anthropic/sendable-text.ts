/** Text as the API takes it: U+0000 and half surrogate pairs, which it refuses, go out as the replacement character. */

/** What JSON writes for the two; a text that quotes such an escape is only looked at more closely. */
const SUSPECT = /\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * The same value where nothing is wrong with it. The replacement depends on the text alone, so a conversation goes out
 * the same each time, and thinking stays bound to what was sent before it.
 */
export function withSendableText<T>(value: T): T {
  return SUSPECT.test(JSON.stringify(value)) ? (cleaned(value) as T) : value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed();
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [cleaned(key), cleaned(part)]));
}
