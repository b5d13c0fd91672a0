/** A Python component and its mutants as one module: Python's own `ast` finds them, inside the sandbox. */
import { readOwnText } from '../../../../own-file.ts';

const FINDER = readOwnText('./python_mutants.py', import.meta.url);
/** One text with the finder, whose names it has without an import. */
const TRIALS = readOwnText('./python_trials.py', import.meta.url).replace(/^from python_mutants import .*$/m, '');

/**
 * `mutants()` lists them; `tryAll(inputs, ids, name)` answers as the JavaScript module does. The source is carried as data: mutants are
 * compiled when they are tried.
 */
export function pythonModule(source: string, path: string): string {
  return `${FINDER}\n${TRIALS}\nSOURCE = ${pythonText(source)}\nPATH = ${pythonText(path)}\n`;
}

/** JSON escapes are those of Python, but for characters beyond 16 bits, which JSON writes as pairs. */
function pythonText(text: string): string {
  const escaped = JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `__import__('json').loads(${JSON.stringify(escaped)})`;
}

/** Numbers below zero are the component itself in other time zones; none where it does not deal with local time. */
export function pythonZones(source: string): number[] {
  return /\b(?:datetime|time|calendar)\b/.test(source) ? [-1, -2] : [];
}
