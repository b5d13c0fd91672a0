/** Parses slash commands that a person types instead of a message, in sessions and in a gate's chat (S3.8). */

/** `say` is an ordinary message. A misspelt slash command is reported and not sent to a model. */
export type TypedLine<Word extends string> =
  | { type: 'word'; word: Word; rest: string }
  | { type: 'own'; name: string; rest: string }
  | { type: 'unknown'; hint: string }
  | { type: 'say'; text: string };

/** Two slashes begin a message that starts with a slash; a path is a message. `own` are the project's commands. */
export function parseTypedLine<Word extends string>(
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

/** Lists the slash commands for `/help`. */
export function formatWordList(words: Readonly<Record<string, string>>): string[] {
  return Object.entries(words).map(([word, does]) => `/${word.padEnd(9)}${does}`);
}
