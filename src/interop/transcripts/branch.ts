/** Finds the conversation that was really had, in a file that keeps what a person took back and lines that were written twice. */
import type { ImportNote } from './imported-item.ts';

/** `parent`: the id of the line before; null at the beginning, undefined where the format does not say it. */
export type TreeLine = { line: number; id: string | undefined; parent: string | null | undefined; content: unknown };

/** Leaves out lines that repeat one with the same id and the same content. */
export function leaveRepeated<Line extends TreeLine>(lines: readonly Line[], notes: ImportNote[]): Line[] {
  const seen = new Set<string>();
  const repeated: number[] = [];
  const once = lines.filter(({ line, id, content }) => {
    const key = `${id} ${JSON.stringify(content)}`;
    if (id === undefined || content === undefined || !seen.has(key)) return seen.add(key);
    repeated.push(line);
    return false;
  });
  addCountNote(notes, repeated, 'lines that were written twice');
  return once;
}

/**
 * Follows the parents from the last line. A parent that is not in the file, as in one that was put together, is the line
 * before. `findParts` adds lines aside that are parts of what was had, as a result of one of several calls is.
 */
export function leaveRewound<Line extends TreeLine>(
  lines: readonly Line[],
  notes: ImportNote[],
  findParts: (had: ReadonlySet<Line>) => Iterable<Line> = () => [],
): Line[] {
  const places = new Map(lines.map(({ id }, place) => [id, place]));
  const had = new Set<Line>();
  for (let place = lines.length - 1; place >= 0;) {
    const line = lines[place];
    if (line === undefined) break;
    had.add(line);
    if (line.parent === null) break;
    const parent = line.parent === undefined ? undefined : places.get(line.parent);
    place = parent !== undefined && parent < place ? parent : place - 1;
  }
  const parts = new Set([...had, ...findParts(had)]);
  const kept = lines.filter((line) => parts.has(line));
  const left = lines.filter((line) => line.content !== undefined && !parts.has(line)).map(({ line }) => line);
  addCountNote(notes, left, 'lines of branches that were taken back');
  return kept;
}

export function addCountNote(notes: ImportNote[], lines: readonly number[], what: string): void {
  const [first] = lines;
  if (first !== undefined) notes.push({ line: first, text: `${lines.length} ${what}: left out` });
}
