/** Error text that every backend can store: PostgreSQL refuses NUL and lone surrogates, and then runs the job again. */

const MAX_CHARS = 1900;

/** Contract: no NUL, no lone surrogate, under 2 KB of UTF-16, never empty. */
export function cleanText(text: string): string {
  const whole = text.replaceAll('\0', '\u2400').toWellFormed();
  const short = whole.length > MAX_CHARS ? `${whole.slice(0, MAX_CHARS).toWellFormed()} […]` : whole;
  return short === '' ? 'an error without a message' : short;
}

/** Keeps the cleaned message of a thrown value, and no stack, because a stack contains paths of this machine. */
export function toStorableError(error: unknown): Error {
  const stored = new Error(cleanText(error instanceof Error ? error.message : String(error)));
  stored.stack = stored.message;
  return stored;
}
