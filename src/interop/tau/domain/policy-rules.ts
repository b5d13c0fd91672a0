/** Extracts rules from a Markdown policy: one per list item, and one per paragraph that demands something. */
import type { BusinessRule } from '../../../scenario/design.ts';

const DEMANDS =
  /\b(must|should|shall|can ?not|can't|may not|never|only|always|required?|not allowed|do not|don't|need to|has to|have to)\b/i;
const STRICT = /\b(must|shall|can ?not|can't|may not|never|only|always|not allowed|do not|don't|required?)\b/i;

/** `tools`: the names that a rule may mention. */
export function rulesOfPolicy(policy: string, source: string, tools: readonly string[]): BusinessRule[] {
  const parts = splitPolicy(policy).filter(({ text, isItem }) => isItem || DEMANDS.test(text));
  return parts.map(({ heading, text }, index) => ({
    id: `R${index + 1}`,
    title: formatTitle(text, heading),
    text,
    severity: STRICT.test(text) ? 'must' : 'should',
    applies_to: tools.filter((tool) => mentionsTool(text, tool)),
    source: heading === '' ? source : `${source}, section "${heading}"`,
  }));
}

function splitPolicy(policy: string): { heading: string; text: string; isItem: boolean }[] {
  const parts: { heading: string; text: string; isItem: boolean }[] = [];
  let heading = '';
  let isOpen = false;
  for (const line of policy.split(/\r?\n/)) {
    const title = /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    const last = parts.at(-1);
    if (title !== null) heading = title[1] ?? '';
    else if (item !== null) parts.push({ heading, text: (item[1] ?? '').trim(), isItem: true });
    else if (line.trim() !== '' && isOpen && last !== undefined) last.text += ` ${line.trim()}`;
    else if (line.trim() !== '') parts.push({ heading, text: line.trim(), isItem: false });
    isOpen = line.trim() !== '' && title === null;
  }
  return parts.filter(({ text }) => text !== '');
}

function formatTitle(text: string, heading: string): string {
  const plain = text.replaceAll(/[*_`]/g, '');
  const sentence = /^.*?[.:;](?=\s|$)/.exec(plain)?.[0] ?? plain;
  const short = sentence.length > 80 ? `${sentence.slice(0, 77).trimEnd()}…` : sentence.replace(/[.:;]$/, '');
  return short === '' ? heading || 'Rule' : short;
}

/** Looks for the name or for all its longer words, two at least: `cancel_reservation` in "cancel the reservation". */
function mentionsTool(text: string, tool: string): boolean {
  if (text.includes(tool)) return true;
  const words = tool.split('_').filter((word) => word.length > 2);
  return words.length > 1 && words.every((word) => text.toLowerCase().includes(word.toLowerCase()));
}

/**
 * Returns for each text the rules that share the most words with it, at least one, and uses every rule for at least one
 * text. The match is a guess, and is reported as one.
 */
export function findNearestRules(texts: readonly string[], rules: readonly BusinessRule[]): string[][] {
  const words = texts.map(collectWords);
  const shared = (rule: BusinessRule, index: number): number =>
    [...collectWords(`${rule.title} ${rule.text}`)].filter((word) => words[index]?.has(word)).length;
  const near = texts.map((_, index) =>
    rules
      .map((rule) => ({ id: rule.id, shared: shared(rule, index) }))
      .filter((one) => one.shared >= 2)
      .toSorted((a, b) => b.shared - a.shared)
      .slice(0, 3)
      .map(({ id }) => id),
  );
  const left = rules.filter(({ id }) => !near.some((ids) => ids.includes(id)));
  for (const rule of left) {
    const best = texts.map((_, index) => index).toSorted((a, b) => shared(rule, b) - shared(rule, a))[0] ?? 0;
    near[best]?.push(rule.id);
  }
  return near.map((ids) => (ids.length > 0 ? ids : [rules[0]?.id ?? 'R1']));
}

function collectWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}]{4,}/gu) ?? []);
}
