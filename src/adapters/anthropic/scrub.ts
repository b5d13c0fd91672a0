/** Removes secrets from any text that may reach a person, a file or a log. */

const KEY_SHAPES: readonly RegExp[] = [/sk-ant-[\w-]+/g, /\bBearer\s+[^\s"',;\\]+/gi];

/** A shorter key is a placeholder such as `x`; replacing it would only damage the text. */
const SHORTEST_SECRET = 8;

/** Returns `text` without the given key and without anything that looks like a key. */
export function scrubSecrets(text: string, apiKey: string): string {
  const known = secretForms(apiKey).reduce((rest, form) => rest.replaceAll(form, '[key]'), text);
  return KEY_SHAPES.reduce((rest, shape) => rest.replace(shape, '[key]'), known);
}

/**
 * Lists the forms in which others may write a secret: as it is, in JSON, in an address, and in base64, where preceding text
 * (`user:`) shifts it by one byte or two. Empty for a short secret; the longest form first, since one may contain another.
 */
export function secretForms(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // The first and last characters are left out, because they also hold bits of the neighbouring text.
    const sure = whole.subarray(0, whole.length - (whole.length % 3)).toString('base64');
    const own = sure.slice(Math.ceil((before * 4) / 3));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed()), ...inBase64];
  return [...new Set(forms)]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((one, other) => other.length - one.length);
}
