/** Pairs of must rules that a person should read side by side: a hint from their wording, never a proof. */
import type { BusinessRule } from '../../scenario/design.ts';
import { significantWords } from './significant-words.ts';

export type PossibleContradiction = { one: string; other: string; tool: string; words: [string, string] };

/** Absolute words: one side leaves no exception, the other allows none. */
const GRANTS = /\b(always|every|any|all|regardless|whenever|in every case|without exception)\b/i;
const DENIES = /\b(never|only|must not|may not|cannot|no|not allowed|forbidden|under no circumstances|except)\b/i;

/** Two rules that share less than this speak about different things. */
const SHARED_WORDS = 2;

/** What the comparison needs of a rule, found once per rule and not once per pair. */
type Reading = { rule: BusinessRule; grants: string | undefined; denies: string | undefined; words: Set<string> };

export function possibleContradictions(rules: readonly BusinessRule[]): PossibleContradiction[] {
  const musts = rules.filter(({ severity }) => severity === 'must').map(read);
  return musts.flatMap((one, index) =>
    musts.slice(index + 1).flatMap((other) => {
      const words = opposedWords(one, other);
      const tool = one.rule.applies_to.find((name) => other.rule.applies_to.includes(name));
      if (words === undefined || tool === undefined || !speakOfTheSame(one, other)) return [];
      return [{ one: one.rule.id, other: other.rule.id, tool, words }];
    }),
  );
}

function read(rule: BusinessRule): Reading {
  const first = (words: RegExp) => words.exec(rule.text)?.[0].toLowerCase();
  return { rule, grants: first(GRANTS), denies: first(DENIES), words: new Set(significantWords(rule.text)) };
}

function opposedWords(one: Reading, other: Reading): [string, string] | undefined {
  if (one.grants !== undefined && other.denies !== undefined) return [one.grants, other.denies];
  return one.denies !== undefined && other.grants !== undefined ? [one.denies, other.grants] : undefined;
}

function speakOfTheSame(one: Reading, other: Reading): boolean {
  return [...one.words].filter((word) => other.words.has(word)).length >= SHARED_WORDS;
}
