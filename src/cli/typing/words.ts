/** Words that a person types after a slash instead of a message: one reading of them, in sessions and at a gate's chat (S3.8). */

/** `say`: an ordinary message. A typo after a slash is reported, and not sent to a model. */
export type TypedLine<Word extends string> =
  | { type: 'word'; word: Word; rest: string }
  | { type: 'own'; name: string; rest: string }
  | { type: 'unknown'; hint: string }
  | { type: 'say'; text: string };

/** A message that begins with a slash is written with two; a path is a message. `own`: words that a project has made. */
export function readLine<Word extends string>(
  line: string,
  words: Readonly<Record<Word, string>>,
  own: readonly string[] = [],
): TypedLine<Word> {
  const text = line.trim();
  if (text.startsWith('//')) return { type: 'say', text: text.slice(1) };
  const [, name, rest = ''] = /^\/([^\s/]*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return { type: 'say', text };
  const word = name.toLowerCase();
  const isWord = (one: string): one is Word => Object.hasOwn(words, one);
  if (isWord(word)) return { type: 'word', word, rest: rest.trim() };
  if (own.includes(word)) return { type: 'own', name: word, rest };
  const all = [...Object.keys(words), ...own].map((one) => `/${one}`).join(', ');
  return {
    type: 'unknown',
    hint: `${JSON.stringify(text.slice(0, 40))} is no word here. There are: ${all}. A message that begins with a slash is written with two: //…`,
  };
}

/** What `/help` prints. */
export function wordLines(words: Readonly<Record<string, string>>): string[] {
  return Object.entries(words).map(([word, does]) => `/${word.padEnd(9)}${does}`);
}
