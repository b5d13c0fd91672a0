/** Finds the source sections that a comment names, and whether the rules from those sections have changed since. */
import type { BusinessRule } from '../../scenario/design.ts';
import type { SourceText } from './find-quote.ts';
import { namesSection } from './names-section.ts';
import { listSections, type SourceSection } from './source-sections.ts';

export type JudgedAnchor = { name: string; changed: boolean };
export type RuleVersions = { before: readonly BusinessRule[]; after: readonly BusinessRule[] };

const SIGN = String.raw`[\s,:]+(?:\u00a7+|第|(?:sections?|articles?|abschnitt|artikel|kapitel)\b)\s*`;

/** Finds references such as `policies/fees.md:12`, as a review shows them, and `policies/fees.md, section 3`. */
export function sourceAnchors(text: string, rules: RuleVersions, sources: readonly SourceText[]): JudgedAnchor[] {
  const paths = sources.map(({ path }) => path);
  const mentions = new Map(paths.map((path) => [path, findMentions(text, path)]));
  if ([...mentions.values()].every(({ length }) => length === 0)) return [];
  const now = listSections(rules.after, sources);
  const then = listSections(rules.before, sources);
  return now.flatMap(({ file, sections }, index) =>
    sections.flatMap((section, at) => {
      const next = sections[at + 1]?.line ?? Infinity;
      const place = { path: file, title: section.title, isOnly: sections.length === 1 };
      const isMeant = mentions
        .get(file)
        ?.some(({ line, words }) =>
          line === undefined ? namesSection(words, place, paths) : line >= section.line && line < next,
        );
      if (isMeant !== true) return [];
      const before = stringifySection(then[index]?.sections[at], rules.before);
      return [{ name: `${file}:${section.line}`, changed: before !== stringifySection(section, rules.after) }];
    }),
  );
}

function findMentions(text: string, path: string): { line?: number; words: string }[] {
  const [name = path] = path.split('/').slice(-1);
  const literal = name.replaceAll(/[.\\+?^${}()|[\]*]/g, String.raw`\$&`);
  const found = text.matchAll(new RegExp(`(?<![\\w-])${literal}(?::(\\d{1,6})|${SIGN}(\\d[\\d.]*))`, 'giu'));
  return [...found].map(([, line, number = '']) => ({
    ...(line === undefined ? {} : { line: Number(line) }),
    words: `${path}, section ${number.replace(/\.$/, '')}`,
  }));
}

const stringifySection = (section: SourceSection | undefined, rules: readonly BusinessRule[]): string =>
  JSON.stringify(rules.filter(({ id }) => section?.rules.includes(id) === true));
