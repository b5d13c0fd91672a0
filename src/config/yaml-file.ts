/** Reading a YAML file that a person wrote: parsed by a schema, and every complaint names file, line and path in it. */
import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { HarnessError } from '../errors.ts';

/** `shown` is how messages name the file. `not_found` when there is none, `config_invalid` when it cannot be used. */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  shown = path,
): Promise<z.infer<Schema>> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new HarnessError('not_found', `${shown}: cannot be read.`, { details: { path: shown }, cause });
  });
  return parseYaml(text, schema, shown);
}

export function parseYaml<Schema extends z.ZodType>(text: string, schema: Schema, shown: string): z.infer<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    throw invalid(shown, [`${shown}:${lines.linePos(syntax.pos[0]).line}: ${syntax.message}`], syntax);
  }
  const parsed = schema.safeParse(plain(document, shown));
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map((issue) => {
    const path = issue.path.map(String);
    return `${shown}:${lineOf(document, path, lines)}: ${path.length === 0 ? 'file' : path.join('.')}: ${issue.message}`;
  });
  throw invalid(shown, complaints, parsed.error);
}

/** Aliases are bounded by the library; a bomb of them ends here and not in memory. */
function plain(document: Document, shown: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (cause) {
    throw invalid(shown, [`${shown}: ${cause instanceof Error ? cause.message : String(cause)}`], cause);
  }
}

/** The line of the deepest part of the path that the file really has. */
function lineOf(document: Document, path: readonly string[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = z.looseObject({ range: z.array(z.number()).min(1) }).safeParse(node);
    if (range.success) return lines.linePos(range.data.range[0] ?? 0).line;
  }
  return 1;
}

function invalid(shown: string, complaints: readonly string[], cause: unknown): HarnessError {
  const shownOnes = complaints.slice(0, 10);
  const rest = complaints.length - shownOnes.length;
  const message = [...shownOnes, ...(rest > 0 ? [`… and ${rest} more.`] : [])].join('\n');
  return new HarnessError('config_invalid', message, { details: { path: shown }, cause });
}
