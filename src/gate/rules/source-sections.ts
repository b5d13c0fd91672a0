/** Maps each section of the sources to the rules that come from it, so that a section without rules is noticed. */
import { cutSections } from './cut-sections.ts';
import { findQuote, type SourceText } from './find-quote.ts';
import { namesSection } from './names-section.ts';
import type { BusinessRule } from '../../scenario/design.ts';

/** A section; `line` is that of its heading, `rules` are those that quote one of its sentences or name it. */
export type SourceSection = { line: number; title: string; rules: string[] };
export type SectionedSource = { file: string; sections: SourceSection[] };

/** Lists sections, or paragraphs where there are no headings; tables and schemas have none. */
export function listSections(rules: readonly BusinessRule[], sources: readonly SourceText[]): SectionedSource[] {
  const quotes = rules.map(({ id, quote, source = '' }) => ({
    id,
    source,
    at: quote === undefined ? undefined : findQuote(quote, source, sources),
  }));
  const paths = sources.map(({ path }) => path);
  const texts = sources.filter(isText);
  // A brief beside policies tells the story around the rules; alone it is where the rules come from.
  const policies = texts.filter(({ path }) => path !== 'brief.md');
  return (policies.length === 0 ? texts : policies).map(({ path, text }) => {
    const cut = cutSections(text);
    // The text under the title of a brief, before its first section, tells whose brief it is.
    const all = path === 'brief.md' && cut.length > 1 && text.startsWith('# ') ? cut.slice(1) : cut;
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

/** Excludes data files, and images, whose bytes do not decode to text. */
const isText = ({ path, text }: SourceText): boolean =>
  !/\.(ya?ml|json|jsonl|csv|tsv)$/i.test(path) && !/[\0\uFFFD]/.test(text);

/** Lists such sections as `file:line title` in the order of the sources; a file without any rule is one entry. */
export function sectionsWithoutRule(sources: readonly SectionedSource[]): string[] {
  return sources.flatMap((source) =>
    isWithoutRule(source)
      ? [`${source.file} (none of its ${source.sections.length} sections)`]
      : source.sections
          .filter(({ rules }) => rules.length === 0)
          .map(({ line, title }) => `${source.file}:${line} ${title}`),
  );
}

/** Checks that no rule comes from a longer file; its name then tells more than all its section titles. */
export const isWithoutRule = ({ sections }: SectionedSource): boolean =>
  sections.length > 3 && sections.every(({ rules }) => rules.length === 0);
