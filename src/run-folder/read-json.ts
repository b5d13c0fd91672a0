/** Reads a file of a run and checks it against its schema; errors name the file. */
import type { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import type { RunFolder } from '../ports/run-store.ts';

/** Undefined when there is no such file. Contract: `data_corrupt` when it cannot be used. */
export async function readJson<Schema extends z.ZodType>(
  run: Pick<RunFolder, 'read'>,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await run.read(path);
  if (text === undefined) return undefined;
  return parseFile(schema, text, path);
}
