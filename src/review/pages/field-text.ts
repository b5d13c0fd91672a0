/** The text of a textarea: a browser drops one line feed at its beginning, which may be the text's own. */
export function fieldText(text: string): string {
  return `\n${text}`;
}
