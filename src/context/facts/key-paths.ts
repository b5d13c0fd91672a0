/** The paths that a summary tells its reader to go on from (S0.17). */
import { storedSummary, summaryLines } from '../summary/summary.ts';

const FIELD = 'key_paths';
/** A name with a folder or an ending in it; what follows in brackets or after a blank is the model's comment. */
const PATH = /^[^\s[(]*[/.][^\s[(]*/;

/** Empty for a summary that no model wrote, and for one without this field. */
export function keyPathsOf(summary: string): string[] {
  const value = storedSummary(summary);
  if (value === undefined || typeof value !== 'object' || Array.isArray(value)) return [];
  const named = Object.hasOwn(value, FIELD) ? value[FIELD] : undefined;
  const paths = named === undefined ? [] : summaryLines(named).flatMap((line) => PATH.exec(line.trim())?.[0] ?? []);
  return [...new Set(paths)];
}
