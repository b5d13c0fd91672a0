/** Validates persisted files at every read; an error names the file. */
import type { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { packageVersion } from '../own-file.ts';
import { dropByteOrderMark, parseJson } from '../parse-json.ts';

/** Throws `data_corrupt` with `name`, a path that a person can find, for broken JSON and for another shape. */
export function parseFile<Schema extends z.ZodType>(schema: Schema, text: string, name: string): z.infer<Schema> {
  const value = parseJsonFile(text, name);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  refuseNewer(value, name);
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw createCorruptError(name, `has another shape${where}: ${issue?.message ?? 'unknown'}`);
}

/** The highest format `version` that this program reads; a higher one is not damage. */
const NEWEST_FORMAT = 1;

function refuseNewer(value: unknown, name: string): void {
  const format = (value as { version?: unknown } | null)?.version;
  if (typeof format !== 'number' || format <= NEWEST_FORMAT) return;
  const message = `${name} was made by a newer Tandem: its format is ${format}, and this is ${packageVersion()}. Update Tandem to open it.`;
  throw new HarnessError('version_mismatch', message, { details: { file: name } });
}

/** For files that may be lost, such as a mark or a cache: an invalid file counts as missing. */
export function parseOrNone<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> | undefined {
  return schema.safeParse(parseJson(text)).data;
}

export function parseJsonFile(text: string, name: string): unknown {
  try {
    return JSON.parse(dropByteOrderMark(text)) as unknown;
  } catch (error) {
    throw createCorruptError(name, 'is not whole JSON', error);
  }
}

/** The error for a file of a run; `what` says what is wrong with it, after its name. */
export function createCorruptError(name: string, what: string, cause?: unknown): HarnessError {
  const message = `${name} ${what}. Restore it from a copy of the run.`;
  return new HarnessError('data_corrupt', message, { details: { file: name }, cause });
}
