/** Makes ids of the names that people give, in any script; an id stays as it is. */
import { foldText } from './fold-text.ts';

const MOST_CHARACTERS = 64;

/** `Late returns` becomes `late-returns`, `Überfälliges` stays in its letters as `überfälliges`, `逾期 归还` becomes `逾期-归还`. */
export function makeId(name: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name;
  const plain = foldText(name).replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return Array.from(plain.replaceAll(/^-|-$/g, '')).slice(0, MOST_CHARACTERS).join('');
}
