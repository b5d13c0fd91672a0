/** Reads a YAML file that a person wrote: parsed by a schema, with file, line and path in every complaint. */
import { isMap, LineCounter, parseDocument, visit, type Document, type ErrorCode, type Scalar } from 'yaml';
import { z } from 'zod';
import { readNamedText } from '../disk/read-named-file.ts';
import { HarnessError } from '../errors.ts';
import { nearestWord } from '../evaluation/components/schema-issues.ts';
import { isHeldExactly } from '../parse-json.ts';
import { takeHead } from '../transcript/tokens.ts';

/** `shown` is the file's name in messages. Throws `not_found` without a file, `config_invalid` when it is unusable. */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  shown = path,
): Promise<z.infer<Schema>> {
  return parseYaml(await readNamedText(path, shown), schema, shown);
}

export function parseYaml<Schema extends z.ZodType>(text: string, schema: Schema, shown: string): z.infer<Schema> {
  const known = parsedTexts.get(text);
  const again = known === undefined ? undefined : schema.safeParse(structuredClone(known));
  return again?.success === true ? again.data : parseUncached(text, schema, shown);
}

/** Caches parsed texts: a run reads its design many times, and parsing YAML takes a hundred times as long as a copy. */
const parsedTexts = new Map<string, unknown>();
const MOST_TEXTS = 20;

type ShownFile = { shown: string; lines: LineCounter };

function parseUncached<Schema extends z.ZodType>(text: string, schema: Schema, shown: string): z.infer<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const line = lines.linePos(syntax.pos[0]).line;
    // The parser calls itself for each level, and reports the end of its stack as if it were syntax.
    const isDeep = syntax.message.startsWith('Maximum call stack');
    const words = isDeep ? TOO_DEEP : (SYNTAX[syntax.code] ?? `${syntax.message}${formatQuotesHint(text, line)}`);
    throw createFileError(shown, [`${shown}:${line}: ${words}`], syntax);
  }
  const said = toPlainValue(document, { shown, lines });
  const parsed = schema.safeParse(said);
  if (parsed.success) {
    if (parsedTexts.size >= MOST_TEXTS) parsedTexts.clear();
    // The copy is needed because a schema may return parts of its input unchanged.
    parsedTexts.set(text, structuredClone(said));
    return parsed.data;
  }
  const known = new Set(
    parsed.error.issues.some(({ code }) => code === 'unrecognized_keys') ? listSchemaKeys(schema) : [],
  );
  const complaints = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    const at = (place: readonly string[], what: string) =>
      `${shown}:${findPathLine(document, place, lines)}: ${place.length === 0 ? 'file' : place.join('.')}: ${what}`;
    if (issue.code !== 'unrecognized_keys') return [at(path, describeIssue(issue, said))];
    return issue.keys.map((key) => at([...path, key], describeUnknownKey(key, known)));
  });
  throw createFileError(shown, complaints, parsed.error);
}

/** Explains the parser's error about nested mappings where a sentence with a colon lacks quotes. */
function formatQuotesHint(text: string, line: number): string {
  const said = text.split('\n')[line - 1] ?? '';
  const isSentence = /^\s*(?:- )?[\w-]+: +[^\s"'[{|>&*!].*: /.test(said);
  return isSentence ? '. A text with ": " in it stands in quotes' : '';
}

const TOO_DEEP = 'it is nested too deep to be read: take levels out.';

/** Plain messages in place of the parser's words for programmers. */
const SYNTAX: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'a tab is used as indentation: use spaces.',
  DUPLICATE_KEY: 'this key is there twice: take one of them out.',
  MULTIPLE_DOCS: 'a second document begins here: take the line "---" out.',
};

/** Shows the value only where a number is expected; elsewhere it may be a secret in the wrong place. */
function describeIssue({ code, message, path, ...issue }: z.core.$ZodIssue, said: unknown): string {
  const there = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null)?.[key], said);
  if (path.length === 0 && (there === null || there === undefined)) return 'it is empty.';
  if (path.length === 0 && (typeof there !== 'object' || Array.isArray(there)))
    return 'expected keys with values, such as "version: 1".';
  const isNumber = typeof there === 'number' || ('expected' in issue && issue.expected === 'number');
  if (code === 'custom' || !isNumber || there === undefined) return message;
  return `${message}; it is ${takeHead(JSON.stringify(there), MOST_SHOWN)}`;
}

const MOST_SHOWN = 60;

/** Keys that earlier versions had, with what to do instead. */
const REMOVED_KEYS: Readonly<Record<string, string>> = {
  economy:
    'it was removed with --economy: cheaper are prompt caching, which is on, and a smaller model (docs/money.md).',
  archive_after_days: 'it was removed with tandem runs archive: pack ended runs with tar (docs/operations.md).',
};

function describeUnknownKey(key: string, known: ReadonlySet<string>): string {
  if (REMOVED_KEYS[key] !== undefined) return REMOVED_KEYS[key];
  if (known.has(key)) return 'this key has its place elsewhere in the file, not here.';
  const near = nearestWord(key, [...known]);
  return `no such key.${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

/** Lists every key that the format has anywhere. */
function listSchemaKeys(schema: z.ZodType): string[] {
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

/** Refuses a whole number that JavaScript would change, such as an account number without quotes. */
function refuseInexactNumber({ source, value, range }: Scalar, { shown, lines }: ShownFile): void {
  if (typeof value !== 'number' || source === undefined || !/^[-+]?\d+$/.test(source)) return;
  if (isHeldExactly(value, source.replace('+', ''))) return;
  const { line } = lines.linePos(range?.[0] ?? 0);
  const what = `the number ${takeHead(source, MOST_SHOWN)} cannot be held exactly: write it in quotes, as text.`;
  throw createFileError(shown, [`${shown}:${line}: ${what}`], undefined);
}

/** Converts the document; the library limits aliases, so that an alias bomb fails before it fills the memory. */
function toPlainValue(document: Document, { shown, lines }: ShownFile): unknown {
  visit(document, {
    Scalar: (_, scalar) => refuseInexactNumber(scalar, { shown, lines }),
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const { line } = lines.linePos(alias.range?.[0] ?? 0);
      const what = `*${alias.source} stands for what &${alias.source} marks, and nothing above is marked so.`;
      throw createFileError(shown, [`${shown}:${line}: ${what} Text that begins with * needs quotes.`], undefined);
    },
  });
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (cause) {
    throw createFileError(shown, [`${shown}: ${cause instanceof Error ? cause.message : String(cause)}`], cause);
  }
}

/** Finds the line of a path in the text of a file that was parsed before. */
export function findLine(text: string, path: readonly string[]): number {
  return createLineFinder(text)(path);
}

/** Finds the lines of many paths of one file. */
export function createLineFinder(text: string): (path: readonly string[]) => number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return (path) => findPathLine(document, path, lines);
}

/** Finds the line where a path begins; undefined when the file lacks the first `least` parts of it. */
export function findLineIfPresent(text: string, path: readonly string[], least: number): number | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return document.hasIn(path.slice(0, least).map(keyOrIndex)) ? findPathLine(document, path, lines) : undefined;
}

/** Returns the line of the deepest part of the path that exists in the file; the key's line where there is one. */
function findPathLine(document: Document, path: readonly string[], lines: LineCounter): number {
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

function createFileError(shown: string, complaints: readonly string[], cause: unknown): HarnessError {
  const shownOnes = complaints.slice(0, 10);
  const rest = complaints.length - shownOnes.length;
  const message = [...shownOnes, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join('\n');
  return new HarnessError('config_invalid', message, { details: { path: shown }, cause });
}
