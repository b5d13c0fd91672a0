/** Judges whether an earlier comment was addressed, by whether the text that it names has changed since. */
import type { CommentAnswer } from '../../scenario/handoff.ts';
import type { BusinessRules } from '../../scenario/design.ts';
import { splitComment } from './comment-parts.ts';
import { judgeAnswer } from './judge-answers.ts';
import type { SourceText } from './find-quote.ts';
import type { ReviewPack } from './review-pack.ts';
import { sourceAnchors, type JudgedAnchor } from './source-anchors.ts';

/** The parts of a design that a comment may name: its rules, its files by name, and for the newest one the sources. */
export type DesignText = {
  rules: BusinessRules;
  files: Readonly<Record<string, string>>;
  sources?: readonly SourceText[];
  /** The words of Init, when it handed this design in, about the comments on the one before. */
  answers?: readonly CommentAnswer[];
};

/** A comment of an earlier answer; `isNote` marks one that came with an approval and so requests nothing. */
export type EarlierComment = { gate: string; round: number; actor: string; text: string; isNote?: boolean };

/**
 * Judges each comment against the design it was made on, and not against the last approved one. An answer of Init that
 * code can check counts in the round that followed the comment and in all later ones.
 */
export function judgeComments(
  comments: readonly EarlierComment[],
  designOf: (round: number) => DesignText | undefined,
  now: DesignText,
): ReviewPack['comments'] {
  return comments.flatMap(({ gate, round, actor, text: whole, isNote = false }) =>
    splitComment(whole).map(({ anchor, text }, index) => {
      const [then, reply] = [designOf(round), designOf(round + 1)];
      const anchors = then === undefined ? [] : findAnchors(text, then, now);
      const said = { gate, actor, text, ...(anchor === undefined ? {} : { anchor }) };
      const answer = isNote ? undefined : reply?.answers?.find(({ comment }) => comment === index + 1);
      const answered = answer && then && reply && judgeAnswer(answer, then, reply);
      if (answered !== undefined) return { ...said, ...answered };
      return isNote ? { ...said, ...judgeNote(anchors) } : { ...said, ...judgeAnchors(anchors) };
    }),
  );
}

function judgeNote(anchors: readonly JudgedAnchor[]): { addressed: boolean; note: true; detail: string } {
  const changed = anchors.flatMap((one) => (one.changed ? [one.name] : []));
  const since = changed.length === 0 ? '' : `; changed since: ${changed.join(', ')}`;
  return { addressed: true, note: true, detail: `came with an approval${since}` };
}

function judgeAnchors(anchors: readonly JudgedAnchor[]): { addressed: boolean; detail: string } {
  if (anchors.length === 0) {
    return {
      addressed: false,
      detail: 'names no rule, line or quoted text of that design, and no section of a source: judge for yourself',
    };
  }
  const names = (wanted: boolean) => anchors.filter(({ changed }) => changed === wanted).map(({ name }) => name);
  const [changed, same] = [names(true), names(false)];
  if (same.length === 0) return { addressed: true, detail: `changed since: ${changed.join(', ')}` };
  const also = changed.length === 0 ? '' : `; changed: ${changed.join(', ')}`;
  return { addressed: false, detail: `unchanged: ${same.join(', ')}${also}` };
}

function findAnchors(text: string, then: DesignText, now: DesignText): JudgedAnchor[] {
  const rules = { before: then.rules.rules, after: now.rules.rules };
  return [
    ...ruleAnchors(text, then, now),
    ...lineAnchors(text, then, now),
    ...quoteAnchors(text, then, now),
    ...sourceAnchors(text, rules, now.sources ?? []),
  ];
}

function ruleAnchors(text: string, then: DesignText, now: DesignText): JudgedAnchor[] {
  const ids = new Set([...text.matchAll(/\bR[1-9]\d*\b/g)].map(([id]) => id));
  return [...ids].flatMap((id) => {
    const before = [stringifyRule(then.rules, id), ...findLinesNaming(then, id)];
    const after = [stringifyRule(now.rules, id), ...findLinesNaming(now, id)];
    // A rule id that neither design contains is a typing error or a wish, for which no change can be shown.
    return [{ name: id, changed: JSON.stringify(before) !== JSON.stringify(after) }];
  });
}

/** Returns all content of a rule: its texts and its entries in the case table. */
function stringifyRule({ rules }: BusinessRules, id: string): string {
  const { applies_to: tools = [], ...rule } = rules.find((candidate) => candidate.id === id) ?? {};
  return JSON.stringify([rule, tools.toSorted()]);
}

/** Finds the lines of other files, such as the subject's prompt, that name a rule by its id. */
function findLinesNaming({ files }: DesignText, id: string): string[] {
  const named = new RegExp(`\\b${id}\\b`);
  return Object.entries(files)
    .filter(([name]) => name !== 'business_rules.yaml')
    .flatMap(([, text]) => text.split('\n').filter((line) => named.test(line)))
    .map((line) => line.trim());
}

/** Resolves `business_rules.yaml:12` to a line of the design as it was shown. */
function lineAnchors(text: string, then: DesignText, now: DesignText): JudgedAnchor[] {
  const named = [...text.matchAll(/([\w./-]{1,200}):(\d{1,6})\b/g)];
  return named.flatMap(([, path = '', number = '']) => {
    const file = path.split('/').at(-1) ?? path;
    const line = Object.hasOwn(then.files, file)
      ? then.files[file]?.split('\n')[Number(number) - 1]?.trim()
      : undefined;
    if (line === undefined || line === '') return [];
    const stays = (now.files[file] ?? '').split('\n').some((candidate) => candidate.trim() === line);
    return [{ name: `${file}:${number}`, changed: !stays }];
  });
}

/** Quoted words count as addressed when fewer places contain them now, and removed words when they are back. */
function quoteAnchors(text: string, then: DesignText, now: DesignText): JudgedAnchor[] {
  const quotes = [...text.matchAll(/["“«]([^"”»\n]{3,200})["”»]/g)].map(([, quote = '']) => quote.trim());
  // Quotes that hold only blanks would match every design.
  const words = new Set(quotes.filter((quote) => quote !== ''));
  return [...words].flatMap((quote) => {
    const before = countOccurrences(then, quote);
    const after = countOccurrences(now, quote);
    if (before > 0) return [{ name: `"${quote}"`, changed: after < before }];
    return text.includes(`removed "${quote}"`) ? [{ name: `"${quote}" taken out`, changed: after > 0 }] : [];
  });
}

function countOccurrences({ files }: DesignText, quote: string): number {
  return Object.values(files).reduce((sum, content) => sum + content.split(quote).length - 1, 0);
}
