/** Reads a file of a run and checks it against its schema; errors name the file. */
import type { z } from 'zod';
import { HarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';

/** Undefined when there is no such file. Contract: `data_corrupt` when it cannot be used. */
export async function readJson<Schema extends z.ZodType>(
  run: RunFolder,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await run.read(path);
  if (text === undefined) return undefined;
  return parseAs(text, path, schema);
}

export function parseAs<Schema extends z.ZodType>(text: string, path: string, schema: Schema): z.infer<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HarnessError('data_corrupt', `${path} is not whole JSON. Restore it from a copy of the run.`, { cause });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new HarnessError(
    'data_corrupt',
    `${path} has another shape (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}). Restore it from a copy of the run.`,
  );
}
