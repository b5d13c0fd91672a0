/** The slash commands of a session: the built-in ones, and the ones that a project defines. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listNames, type Home } from '../../config/home.ts';
import { parseTypedLine, formatWordList, type TypedLine } from '../typing/parse-slash-command.ts';

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
  export: 'the conversation as a file: /export json [file]',
  undo: 'back to before my last message',
  fork: 'a session of its own that goes on from here',
  help: 'these words',
  quit: 'leave; everything stays on record',
} as const;
export type SlashWord = keyof typeof WORDS;

export type TypedInput = Exclude<TypedLine<SlashWord>, { type: 'own' }> | { type: 'own'; text: string };

/** Lists `commands/<name>.md` of the project. Their text is sent, with the arguments in place of $ARGUMENTS. */
export function listOwnWords(home: Home): string[] {
  const here = { ...home, shipped: home.project };
  return [...new Set(listNames(here, 'commands'))].flatMap(
    (file) => /^([a-z][a-z0-9-]{0,40})\.md$/.exec(file)?.[1] ?? [],
  );
}

export async function readInput(line: string, home: Home): Promise<TypedInput> {
  const read = parseTypedLine(line, WORDS, listOwnWords(home));
  if (read.type !== 'own') return read;
  const template = await readFile(join(home.project, 'commands', `${read.name}.md`), 'utf8');
  return { type: 'own', text: template.replaceAll('$ARGUMENTS', () => read.rest).trim() };
}

export function formatHelp(home: Home): string[] {
  return [
    ...formatWordList(WORDS),
    ...formatWordList(Object.fromEntries(listOwnWords(home).map((word) => [word, `commands/${word}.md`]))),
    'Tab completes @file, @folder and words. A line that ends with \\ goes on; Alt-Enter breaks it. Ctrl-C stops an answer, twice leaves.',
  ];
}
