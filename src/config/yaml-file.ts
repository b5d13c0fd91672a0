/** Reading a YAML file that a person wrote: parsed by a schema, and every complaint names file, line and path in it. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { isMap, LineCounter, parseDocument, visit, type Document, type ErrorCode } from 'yaml';
import { z } from 'zod';
import { errnoOf } from '../disk/disk-fault.ts';
import { HarnessError } from '../errors.ts';
import { nearestWord } from '../evaluation/components/nearest-word.ts';
import { headOf } from '../transcript/cut-text.ts';

/** `shown` is how messages name the file. `not_found` when there is none, `config_invalid` when it cannot be used. */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  shown = path,
): Promise<z.infer<Schema>> {
  const unreadable = (cause?: unknown): never => {
    const why = cause === undefined ? 'It is no file.' : WHY_UNREADABLE[errnoOf(cause) ?? ''];
    const message = [`${shown}: cannot be read.`, why].filter((part) => part !== undefined).join(' ');
    throw new HarnessError('not_found', message, { details: { path: shown }, cause });
  };
  // Reading a pipe would wait for ever.
  if (!(await stat(path).catch(unreadable)).isFile()) unreadable();
  const bytes = await readFile(path).catch(unreadable);
  if (!isUtf8(bytes)) throw invalid(shown, [`${shown}: is not text in UTF-8: save it as UTF-8.`], undefined);
  return parseYaml(bytes.toString('utf8'), schema, shown);
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'It is not there.',
  ENOTDIR: 'It is not there.',
  EACCES: 'This user has no right to read it.',
  ELOOP: 'Its link leads back to itself.',
};

export function parseYaml<Schema extends z.ZodType>(text: string, schema: Schema, shown: string): z.infer<Schema> {
  const known = read.get(text);
  const again = known === undefined ? undefined : schema.safeParse(structuredClone(known));
  return again?.success === true ? again.data : parseAnew(text, schema, shown);
}

/** What texts say: a run reads its design many times, and reading YAML takes a hundred times as long as a copy. */
const read = new Map<string, unknown>();
const MOST_TEXTS = 20;

function parseAnew<Schema extends z.ZodType>(text: string, schema: Schema, shown: string): z.infer<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const line = lines.linePos(syntax.pos[0]).line;
    const words = SYNTAX[syntax.code] ?? `${syntax.message}${quotesHint(text, line)}`;
    throw invalid(shown, [`${shown}:${line}: ${words}`], syntax);
  }
  const said = plain(document, { shown, lines });
  const parsed = schema.safeParse(said);
  if (parsed.success) {
    if (read.size >= MOST_TEXTS) read.clear();
    // A schema may hand parts on as they are.
    read.set(text, structuredClone(said));
    return parsed.data;
  }
  const known = new Set(parsed.error.issues.some(({ code }) => code === 'unrecognized_keys') ? keysOf(schema) : []);
  const complaints = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    const at = (place: readonly string[], what: string) =>
      `${shown}:${lineOf(document, place, lines)}: ${place.length === 0 ? 'file' : place.join('.')}: ${what}`;
    if (issue.code !== 'unrecognized_keys') return [at(path, issueInWords(issue, said))];
    return issue.keys.map((key) => at([...path, key], unknownKey(key, known)));
  });
  throw invalid(shown, complaints, parsed.error);
}

/** The parser speaks of nested mappings where somebody wrote a sentence with a colon in it. */
function quotesHint(text: string, line: number): string {
  const said = text.split('\n')[line - 1] ?? '';
  const isSentence = /^\s*(?:- )?[\w-]+: +[^\s"'[{|>&*!].*: /.test(said);
  return isSentence ? '. A text with ": " in it stands in quotes' : '';
}

/** What the parser says in words for programmers. */
const SYNTAX: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'a tab is used as indentation: use spaces.',
  DUPLICATE_KEY: 'this key is there twice: take one of them out.',
  MULTIPLE_DOCS: 'a second document begins here: take the line "---" out.',
};

/** Where a number is expected, what is there is shown; anywhere else it may be a secret in the wrong place. */
function issueInWords({ code, message, path, ...issue }: z.core.$ZodIssue, said: unknown): string {
  const there = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null)?.[key], said);
  if (path.length === 0 && (there === null || there === undefined)) return 'it is empty.';
  if (path.length === 0 && (typeof there !== 'object' || Array.isArray(there)))
    return 'expected keys with values, such as "version: 1".';
  const isNumber = typeof there === 'number' || ('expected' in issue && issue.expected === 'number');
  if (code === 'custom' || !isNumber || there === undefined) return message;
  return `${message}; it is ${headOf(JSON.stringify(there), MOST_SHOWN)}`;
}

const MOST_SHOWN = 60;

function unknownKey(key: string, known: ReadonlySet<string>): string {
  if (known.has(key)) return 'this key has its place elsewhere in the file, not here.';
  const near = nearestWord(key, [...known]);
  return `no such key.${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

/** Every key that the format has anywhere. */
function keysOf(schema: z.ZodType): string[] {
  const keys: string[] = [];
  const collect = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, value] of Object.entries(part)) {
      if (name === 'properties' && typeof value === 'object' && value !== null) keys.push(...Object.keys(value));
      collect(value);
    }
  };
  collect(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  return keys;
}

/** Aliases are bounded by the library; a bomb of them ends here and not in memory. */
function plain(document: Document, { shown, lines }: { shown: string; lines: LineCounter }): unknown {
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const { line } = lines.linePos(alias.range?.[0] ?? 0);
      const what = `*${alias.source} stands for what &${alias.source} marks, and nothing above is marked so.`;
      throw invalid(shown, [`${shown}:${line}: ${what} Text that begins with * needs quotes.`], undefined);
    },
  });
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (cause) {
    throw invalid(shown, [`${shown}: ${cause instanceof Error ? cause.message : String(cause)}`], cause);
  }
}

/** Where a path of a file that was parsed before is in its text. */
export function lineIn(text: string, path: readonly string[]): number {
  return linesIn(text)(path);
}

/** The same for many paths of one file. */
export function linesIn(text: string): (path: readonly string[]) => number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return (path) => lineOf(document, path, lines);
}

/** Where a path of a file that was parsed before begins; undefined when the file does not have its first `least` parts. */
export function lineIfThere(text: string, path: readonly string[], least: number): number | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return document.hasIn(path.slice(0, least).map(keyOrIndex)) ? lineOf(document, path, lines) : undefined;
}

/** The line of the deepest part of the path that the file really has: of the key where there is one. */
function lineOf(document: Document, path: readonly string[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length -= 1) {
    const around: unknown =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1).map(keyOrIndex), true);
    const pair = isMap(around) ? around.items.find(({ key }) => String(key) === path[length - 1]) : undefined;
    for (const node of [pair?.key, document.getIn(path.slice(0, length).map(keyOrIndex), true)]) {
      const range = z.looseObject({ range: z.array(z.number()).min(1) }).safeParse(node);
      if (range.success) return lines.linePos(range.data.range[0] ?? 0).line;
    }
  }
  return 1;
}

const keyOrIndex = (part: string): string | number => (/^\d+$/.test(part) ? Number(part) : part);

function invalid(shown: string, complaints: readonly string[], cause: unknown): HarnessError {
  const shownOnes = complaints.slice(0, 10);
  const rest = complaints.length - shownOnes.length;
  const message = [...shownOnes, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join('\n');
  return new HarnessError('config_invalid', message, { details: { path: shown }, cause });
}
