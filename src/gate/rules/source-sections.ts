/** Which rules come from which section of the sources, so that a section without a rule is seen before anybody misses it. */
import { headOf } from '../../transcript/cut-text.ts';
import { significantWords } from './design-checks.ts';
import { findQuote, type SourceText } from './find-quote.ts';
import type { BusinessRule } from '../../scenario/design.ts';

/** `line` is that of the heading; `rules` are those that quote a sentence of it, or name it in their `source`. */
export type SourceSection = { line: number; title: string; rules: string[] };
export type SectionsOfSource = { file: string; sections: SourceSection[] };

/** What is between the title of a file and its first section is an owner and a date, unless it has more words. */
const SHORT_OPENING = 12;
const LONGEST_TITLE = 80;
/** Of one source: nobody looks through more. The last one goes to the end of the file. */
const MOST_SECTIONS = 300;

/** Sources without headings are looked at paragraph by paragraph. The brief says what is wanted, and tables and schemas have no sections. */
export function sectionsOf(rules: readonly BusinessRule[], sources: readonly SourceText[]): SectionsOfSource[] {
  const quotes = rules.map(({ id, quote, source = '' }) => ({
    id,
    source,
    at: quote === undefined ? undefined : findQuote(quote, source, sources),
  }));
  return sources.filter(hasSections).map(({ path, text }) => {
    const all = cut(text);
    const sections = all.map(({ line, lastLine, title }) => {
      const place = { path, title, isOnly: all.length === 1 };
      const comes = quotes.filter(
        ({ at, source }) => (at?.file === path && at.line >= line && at.line <= lastLine) || isNamed(source, place),
      );
      return { line, title, rules: comes.map(({ id }) => id) };
    });
    return { file: path, sections };
  });
}

const hasSections = ({ path }: SourceText): boolean =>
  path !== 'brief.md' && !/\.(ya?ml|json|jsonl|csv|tsv)$/i.test(path);

/** As `file:line title`, in the order of the sources. */
export function sectionsWithoutRule(sources: readonly SectionsOfSource[]): string[] {
  return sources.flatMap(({ file, sections }) =>
    sections.filter(({ rules }) => rules.length === 0).map(({ line, title }) => `${file}:${line} ${title}`),
  );
}

/** `policies/returns.md, section 2; policies/damaged-goods.md, sections 1 to 3` names by number, others name by title. */
function isNamed(source: string, { path, title, isOnly }: { path: string; title: string; isOnly: boolean }): boolean {
  const number = /^\W*(\d+(?:\.\d+)*)/.exec(title)?.[1];
  return source.split(';').some((part) => {
    if (!part.includes(path)) return false;
    if (isOnly) return true;
    const place = part.replace(path, '');
    return place.includes(title) || (number !== undefined && numbersIn(place).has(number));
  });
}

function numbersIn(place: string): Set<string> {
  const ranges = [...place.matchAll(/(\d+)\s*(?:to|bis|[-–—~至])\s*(\d+)/g)].flatMap(([, from = '', to = '']) => {
    const length = Math.min(Number(to) - Number(from), MOST_IN_RANGE);
    return Array.from({ length: Math.max(length, 0) }, (_, index) => String(Number(from) + index));
  });
  return new Set([...ranges, ...(place.match(/\d+(?:\.\d+)*/g) ?? [])]);
}

const MOST_IN_RANGE = 100;

type Cut = { line: number; lastLine: number; title: string };
type Start = { from: number; title?: string };

function cut(text: string): Cut[] {
  const lines = text.split(/\r?\n/);
  const headings = headingsOf(lines);
  const starts = (headings.length > 0 ? withOpening(headings, lines) : paragraphsOf(lines)).slice(0, MOST_SECTIONS);
  return starts.flatMap(({ from, title }, index) => {
    const to = starts[index + 1]?.from ?? lines.length;
    const body = lines.slice(title === undefined ? from : from + 1, to).join('\n');
    const words = significantWords(body).length;
    const isOpening = index === 0 && headings.length > 0 && starts.length > 1;
    return words < (isOpening ? SHORT_OPENING : 1)
      ? []
      : [{ line: from + 1, lastLine: to, title: shortTitle(title ?? body) }];
  });
}

/** A line that begins with `#` inside a fence is code. */
function headingsOf(lines: readonly string[]): Start[] {
  let isCode = false;
  return lines.flatMap((line, from) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const title = /^#{1,6}\s+(.*\S)/.exec(line)?.[1];
    return isCode || title === undefined ? [] : [{ from, title: title.replace(/\s#+$/, '') }];
  });
}

function withOpening(headings: readonly Start[], lines: readonly string[]): Start[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return from === headings[0]?.from ? [...headings] : [{ from }, ...headings];
}

function paragraphsOf(lines: readonly string[]): Start[] {
  return lines.flatMap((line, from) =>
    line.trim() !== '' && (from === 0 || lines[from - 1]?.trim() === '') ? [{ from }] : [],
  );
}

function shortTitle(text: string): string {
  const plain = text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim();
  return plain.length > LONGEST_TITLE ? `${headOf(plain, LONGEST_TITLE)}…` : plain;
}
