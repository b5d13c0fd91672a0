/** Which rules come from which section of the sources, so that a section without a rule is seen before anybody misses it. */
import { cutSections } from './cut-sections.ts';
import { findQuote, type SourceText } from './find-quote.ts';
import { namesSection } from './names-section.ts';
import type { BusinessRule } from '../../scenario/design.ts';

/** `line` is that of the heading; `rules` are those that quote a sentence of it, or name it in their `source`. */
export type SourceSection = { line: number; title: string; rules: string[] };
export type SectionsOfSource = { file: string; sections: SourceSection[] };

/** Sources without headings are looked at paragraph by paragraph. The brief says what is wanted, and tables and schemas have no sections. */
export function sectionsOf(rules: readonly BusinessRule[], sources: readonly SourceText[]): SectionsOfSource[] {
  const quotes = rules.map(({ id, quote, source = '' }) => ({
    id,
    source,
    at: quote === undefined ? undefined : findQuote(quote, source, sources),
  }));
  const paths = sources.map(({ path }) => path);
  return sources.filter(hasSections).map(({ path, text }) => {
    const all = cutSections(text);
    const sections = all.map(({ line, lastLine, title }) => {
      const place = { path, title, isOnly: all.length === 1 };
      const comes = quotes.filter(
        ({ at, source }) =>
          (at?.file === path && at.line >= line && at.line <= lastLine) || namesSection(source, place, paths),
      );
      return { line, title, rules: comes.map(({ id }) => id) };
    });
    return { file: path, sections };
  });
}

/** An image is no text: its bytes hold what no encoding has. */
const hasSections = ({ path, text }: SourceText): boolean =>
  path !== 'brief.md' && !/\.(ya?ml|json|jsonl|csv|tsv)$/i.test(path) && !/[\0\uFFFD]/.test(text);

/** As `file:line title`, in the order of the sources; a file from which no rule comes is one entry. */
export function sectionsWithoutRule(sources: readonly SectionsOfSource[]): string[] {
  return sources.flatMap((source) =>
    isWithoutRule(source)
      ? [`${source.file} (none of its ${source.sections.length} sections)`]
      : source.sections
          .filter(({ rules }) => rules.length === 0)
          .map(({ line, title }) => `${source.file}:${line} ${title}`),
  );
}

/** Of a longer file from which no rule comes, the name says more than all its titles. */
export const isWithoutRule = ({ sections }: SectionsOfSource): boolean =>
  sections.length > 3 && sections.every(({ rules }) => rules.length === 0);
