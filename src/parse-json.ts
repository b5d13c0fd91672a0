/** The value of a JSON text, for readers to whom any other text is no error. */

/** Undefined for a text that is not JSON: no JSON text has this value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
