/** Reading a YAML file that a person wrote: parsed by a schema, and every complaint names file, line and path in it. */
import { readFile, stat } from 'node:fs/promises';
import { isMap, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { nearestWord } from '../evaluation/components/nearest-word.ts';

/** `shown` is how messages name the file. `not_found` when there is none, `config_invalid` when it cannot be used. */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  shown = path,
): Promise<z.infer<Schema>> {
  const unreadable = (cause?: unknown): never => {
    throw new HarnessError('not_found', `${shown}: cannot be read.`, { details: { path: shown }, cause });
  };
  // Reading a pipe would wait for ever.
  if (!(await stat(path).catch(unreadable)).isFile()) unreadable();
  const text = await readFile(path, 'utf8').catch(unreadable);
  return parseYaml(text, schema, shown);
}

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
    throw invalid(shown, [`${shown}:${line}: ${syntax.message}${quotesHint(text, line)}`], syntax);
  }
  const said = plain(document, shown);
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
    if (issue.code !== 'unrecognized_keys') return [at(path, issue.message)];
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
function plain(document: Document, shown: string): unknown {
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
