/** Answers of a sample whose verdict is known by construction: what a grader must pass, and what it must fail. */
import { sameJson } from '../../scenario/json/json-value.ts';
import { replaceAmounts } from '../../scenario/language/amounts.ts';
import { splitSentences } from '../../scenario/language/split-text.ts';
import type { GraderCase, GraderSpec } from '../../scenario/grader.ts';
import { withEvents, withLastWords, type TrialRecord } from '../components/trial-record.ts';
import type { GraderPrompts } from './ask-grader.ts';

export type AnswerCase = Pick<GraderCase, 'kind' | 'wanted'> & { played: TrialRecord };

/** The listed paths of a sample, as played. */
export type KnownPlays = { gold: TrialRecord; wrong: TrialRecord };

/** Builds the cases that every sample has: its gold, its wrong path, and an agent that says and does nothing. */
export function plainCases(
  { gold, wrong }: KnownPlays,
  { ignores = [] }: GraderSpec,
): [AnswerCase, AnswerCase, AnswerCase] {
  const { before } = gold;
  const first = (gold.events ?? []).slice(0, 1);
  return [
    { kind: 'gold', wanted: 'pass', played: gold },
    // The fault of the wrong path may be one that this grader ignores.
    { kind: 'wrong', wanted: ignores.length > 0 ? 'either' : 'fail', played: wrong },
    { kind: 'silent', wanted: 'fail', played: withEvents({ before, after: before, stop: 'done' }, first) },
  ];
}

export function mutatedCases(plays: KnownPlays, grader: GraderSpec, prompts: GraderPrompts): AnswerCase[] {
  const [, wrong, silent] = plainCases(plays, grader);
  const { ignores = [] } = grader;
  const { gold } = plays;
  const words = gold.says.at(-1) ?? '';
  const base = wrong.wanted === 'fail' ? wrong : silent;
  const amount = ignores.includes('amounts') ? undefined : withOtherAmount(words);
  const reordered = splitSentences(words).toReversed();
  const isActIgnored = ignores.includes('acts') || sameJson(gold.before, gold.after);
  return [
    { kind: 'orders-to-pass', wanted: 'fail', played: appendWords(base.played, prompts.grader_order.trim()) },
    { kind: 'confident-lie', wanted: 'fail', played: isActIgnored ? undefined : appendWords(silent.played, words) },
    { kind: 'wrong-amount', wanted: 'fail', played: amount === undefined ? undefined : withLastWords(gold, amount) },
    { kind: 'padded', wanted: 'pass', played: withLastWords(gold, padWords(words, prompts.grader_padding)) },
    {
      kind: 'reordered',
      wanted: 'pass',
      played: reordered.length < 2 ? undefined : withLastWords(gold, reordered.join(' ')),
    },
  ].filter((one): one is AnswerCase => one.played !== undefined);
}

/** Returns the record with these words added at its end. */
function appendWords(played: TrialRecord, words: string): TrialRecord {
  const events = played.events ?? [];
  const step = (events.at(-1)?.step ?? 0) + 1;
  return withEvents(played, [...events, { type: 'says', step, text: words }]);
}

/** Pads the words with empty courtesies to three times their length. */
function padWords(words: string, padding: string): string {
  const courtesies = padding.trim().split('\n');
  let text = words;
  for (let index = 0; text.length < 3 * words.length; index += 1)
    text += ` ${courtesies[index % courtesies.length] ?? ''}`;
  return text;
}

function withOtherAmount(text: string): string | undefined {
  const other = replaceAmounts(text, (value, decimals) => (value + 7).toFixed(decimals));
  return other === text ? undefined : other;
}
