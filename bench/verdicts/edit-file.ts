/** One fault or harmless edit of a file, put in so that it cannot be missed: a text that is not there is an error. */
import { readFile, writeFile } from 'node:fs/promises';

export type Edit = { layer: string; file: string; from?: string; to?: string; edit?: (value: unknown) => void };

export async function editFile(path: string, { from = '', to = '', edit }: Edit): Promise<void> {
  const text = await readFile(path, 'utf8');
  if (edit === undefined) {
    if (text.split(from).length < 2) throw new Error(`${path} does not have ${from}`);
    return writeFile(
      path,
      text.replace(from, () => to),
    );
  }
  const value: unknown = JSON.parse(text);
  edit(value);
  return writeFile(path, JSON.stringify(value, null, 2));
}
