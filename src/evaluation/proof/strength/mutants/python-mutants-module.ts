/** A Python component and its mutants as one module: Python's own `ast` finds them, inside the sandbox. */
import { readOwnText } from '../../../../own-file.ts';

const FINDER = readOwnText('./python_mutants.py', import.meta.url);
/** One text with the finder, whose names it has without an import. */
const TRIALS = readOwnText('./python_trials.py', import.meta.url).replace(/^from python_mutants import .*$/m, '');

/**
 * `mutants()` lists them; `tryAll(inputs, ids, name)` answers as the JavaScript module does. The source is carried as data: mutants are
 * compiled when they are tried. `alone` has no finder, which takes longer to load than most components to answer.
 */
export function pythonModule(source: string, path: string): { all: string; alone: string } {
  const own = `SOURCE = ${pythonText(source)}\nPATH = ${pythonText(path)}\n`;
  return { all: `${FINDER}\n${TRIALS}\n${own}`, alone: `${TRIALS}\n${own}` };
}

/** As bytes, because Python and JSON do not write all characters alike. */
function pythonText(text: string): string {
  return `bytes.fromhex('${Buffer.from(text).toString('hex')}').decode()`;
}

/** Numbers below zero are the component itself in other time zones; none where it does not deal with local time. */
export function pythonZones(source: string): number[] {
  return /\b(?:datetime|time|calendar)\b/.test(source) ? [-1, -2] : [];
}
