/** Whether an earlier comment was addressed, judged by what it names: has that text changed since? */
import type { BusinessRules } from '../../scenario/design.ts';
import { commentParts } from './comment-parts.ts';
import type { SourceText } from './find-quote.ts';
import type { ReviewPack } from './review-pack.ts';
import { sourceAnchors, type Anchor } from './source-anchors.ts';

/** A design as a comment may point at it: its rules, its files by name, and of the newest one the sources of its rules. */
export type DesignText = {
  rules: BusinessRules;
  files: Readonly<Record<string, string>>;
  sources?: readonly SourceText[];
};

/** `isNote`: it came with an approval, which asks for nothing. */
export type EarlierComment = { gate: string; round: number; actor: string; text: string; isNote?: boolean };

/** Each comment of an answer is held against the design it was made on, not against the last approved one. */
export function judgeComments(
  comments: readonly EarlierComment[],
  designOf: (round: number) => DesignText | undefined,
  now: DesignText,
): ReviewPack['comments'] {
  return comments.flatMap(({ gate, round, actor, text: whole, isNote = false }) =>
    commentParts(whole).map(({ anchor, text }) => {
      const then = designOf(round);
      const anchors = then === undefined ? [] : anchorsOf(text, then, now);
      const said = { gate, actor, text, ...(anchor === undefined ? {} : { anchor }) };
      return isNote ? { ...said, ...noteOutcome(anchors) } : { ...said, ...outcome(anchors) };
    }),
  );
}

function noteOutcome(anchors: readonly Anchor[]): { addressed: boolean; note: true; detail: string } {
  const changed = anchors.flatMap((one) => (one.changed ? [one.name] : []));
  const since = changed.length === 0 ? '' : `; changed since: ${changed.join(', ')}`;
  return { addressed: true, note: true, detail: `came with an approval${since}` };
}

function outcome(anchors: readonly Anchor[]): { addressed: boolean; detail: string } {
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

function anchorsOf(text: string, then: DesignText, now: DesignText): Anchor[] {
  const rules = { before: then.rules.rules, after: now.rules.rules };
  return [
    ...ruleAnchors(text, then, now),
    ...lineAnchors(text, then, now),
    ...quoteAnchors(text, then, now),
    ...sourceAnchors(text, rules, now.sources ?? []),
  ];
}

function ruleAnchors(text: string, then: DesignText, now: DesignText): Anchor[] {
  const ids = new Set([...text.matchAll(/\bR[1-9]\d*\b/g)].map(([id]) => id));
  return [...ids].flatMap((id) => {
    const before = [wordingOf(then.rules, id), ...linesNaming(then, id)];
    const after = [wordingOf(now.rules, id), ...linesNaming(now, id)];
    // A rule that neither design has is a slip of the pen, or a wish: no change can be shown.
    return [{ name: id, changed: JSON.stringify(before) !== JSON.stringify(after) }];
  });
}

/** All that the rule says, in words and in the table of cases. */
function wordingOf({ rules }: BusinessRules, id: string): string {
  const { applies_to: tools = [], ...rule } = rules.find((candidate) => candidate.id === id) ?? {};
  return JSON.stringify([rule, tools.toSorted()]);
}

/** What the other files say of a rule by its id, such as the subject's prompt. */
function linesNaming({ files }: DesignText, id: string): string[] {
  const named = new RegExp(`\\b${id}\\b`);
  return Object.entries(files)
    .filter(([name]) => name !== 'business_rules.yaml')
    .flatMap(([, text]) => text.split('\n').filter((line) => named.test(line)))
    .map((line) => line.trim());
}

/** `business_rules.yaml:12` names a line of the design as it was shown. */
function lineAnchors(text: string, then: DesignText, now: DesignText): Anchor[] {
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

/** Quoted words of the design are addressed when fewer places contain them now; removed ones when they are back. */
function quoteAnchors(text: string, then: DesignText, now: DesignText): Anchor[] {
  const quotes = [...text.matchAll(/["“«]([^"”»\n]{3,200})["”»]/g)].map(([, quote = '']) => quote.trim());
  // Blanks between two quotation marks are in every design.
  const words = new Set(quotes.filter((quote) => quote !== ''));
  return [...words].flatMap((quote) => {
    const before = occurrences(then, quote);
    const after = occurrences(now, quote);
    if (before > 0) return [{ name: `"${quote}"`, changed: after < before }];
    return text.includes(`removed "${quote}"`) ? [{ name: `"${quote}" taken out`, changed: after > 0 }] : [];
  });
}

function occurrences({ files }: DesignText, quote: string): number {
  return Object.values(files).reduce((sum, content) => sum + content.split(quote).length - 1, 0);
}
