/** The words that a person may type in a session instead of a message, and those that they have made themselves. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn, type Home } from '../../config/home.ts';
import { readLine, wordLines, type TypedLine } from '../typing/words.ts';

export const WORDS = {
  current: 'what this session has come to',
  clean: 'begin afresh; what was said stays on record',
  compact: 'summarise now; words after it say what to keep',
  context: 'the picture of what the model is shown',
  model: 'the model, or another one: /model claude-haiku-5-5',
  policy: 'the context policy, or another one: /policy layered',
  tools: 'what the agent can do',
  skills: 'what it can load',
  cost: 'what was spent, turn by turn',
  budget: 'the most that may be spent, or another amount: /budget 10',
  export: 'the conversation as a file: /export md | html | json [file]',
  undo: 'back to before my last message',
  fork: 'a session of its own that goes on from here',
  help: 'these words',
  quit: 'leave; everything stays on record',
} as const;
export type Word = keyof typeof WORDS;

export type Typed = Exclude<TypedLine<Word>, { type: 'own' }> | { type: 'own'; text: string };

/** Files `commands/<name>.md` of the project: the text is sent, with what follows the word in the place of $ARGUMENTS. */
export function ownWords(home: Home): string[] {
  const here = { ...home, shipped: home.project };
  return [...new Set(namesIn(here, 'commands'))].flatMap(
    (file) => /^([a-z][a-z0-9-]{0,40})\.md$/.exec(file)?.[1] ?? [],
  );
}

export async function readTyped(line: string, home: Home): Promise<Typed> {
  const read = readLine(line, WORDS, ownWords(home));
  if (read.type !== 'own') return read;
  const template = await readFile(join(home.project, 'commands', `${read.name}.md`), 'utf8');
  return { type: 'own', text: template.replaceAll('$ARGUMENTS', () => read.rest).trim() };
}

export function helpLines(home: Home): string[] {
  return [
    ...wordLines(WORDS),
    ...wordLines(Object.fromEntries(ownWords(home).map((word) => [word, `commands/${word}.md`]))),
    'Tab completes @file, @folder and words. A line that ends with \\ goes on; Alt-Enter breaks it. Ctrl-C stops an answer, twice leaves.',
  ];
}
