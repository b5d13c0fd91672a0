/** Takes secrets out of any text that may reach a person, a file or a log. */

const KEY_SHAPES: readonly RegExp[] = [/sk-ant-[\w-]+/g, /\bBearer\s+[^\s"',;\\]+/gi];

/** A shorter key is a placeholder such as `x`; to replace it would only garble the text. */
const SHORTEST_SECRET = 8;

/** `text` without the given key and without anything that looks like one. */
export function scrub(text: string, apiKey: string): string {
  const known = apiKey.length < SHORTEST_SECRET ? text : text.replaceAll(apiKey, '[key]');
  return KEY_SHAPES.reduce((rest, shape) => rest.replace(shape, '[key]'), known);
}
