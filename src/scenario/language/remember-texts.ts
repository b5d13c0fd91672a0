/** Remembers what was read from the last texts, because a turn asks the same of each sentence for every fact, rule and tool. */

/** Characters of texts that one function remembers; a message of the longest usual kind fits. */
const MOST_CHARACTERS = 250_000;

/** `read` depends on the text alone, and nobody changes what it returns. */
export function rememberTexts<Result>(read: (text: string) => Result): (text: string) => Result {
  let known = new Map<string, Result>();
  let characters = 0;
  return (text) => {
    if (known.has(text)) return known.get(text) as Result;
    const result = read(text);
    characters += text.length + 1;
    if (characters > MOST_CHARACTERS) [known, characters] = [new Map(), text.length + 1];
    known.set(text, result);
    return result;
  };
}
