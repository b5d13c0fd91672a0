/** Takes secrets out of any text that may reach a person, a file or a log. */

const KEY_SHAPES: readonly RegExp[] = [/sk-ant-[\w-]+/g, /\bBearer\s+[^\s"',;\\]+/gi];

/** A shorter key is a placeholder such as `x`; to replace it would only garble the text. */
const SHORTEST_SECRET = 8;

/** `text` without the given key and without anything that looks like one. */
export function scrub(text: string, apiKey: string): string {
  const known = secretForms(apiKey).reduce((rest, form) => rest.replaceAll(form, '[key]'), text);
  return KEY_SHAPES.reduce((rest, shape) => rest.replace(shape, '[key]'), known);
}

/**
 * How others may write a secret: as it is, in JSON, in an address, and in base64, where what stands before it (`user:`) moves
 * it by one byte or two. None for what is too short; the longest first, for one may be part of another.
 */
export function secretForms(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // Without the characters that hold bits of what stands before it or after it.
    const sure = whole.subarray(0, whole.length - (whole.length % 3)).toString('base64');
    const own = sure.slice(Math.ceil((before * 4) / 3));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed()), ...inBase64];
  return [...new Set(forms)]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((one, other) => other.length - one.length);
}
