/** Finds out whether a trial fails by words alone: a spelling is refused, or the expected words are missing. */
import type { Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import { withEvents, type TrialRecord } from '../components/trial-record.ts';
import { listSpellings, type SpellingKind } from './spellings.ts';

export type WordFault = {
  /** The checkers refuse a right answer for its notation: the checkers need repair. */
  spelling?: string;
  /** The same calls pass with gold's last words: a reader decides whether the subject's words say as much. */
  wording?: string;
  /** With `wording`: the subject's words that gold's took the place of. */
  said?: string;
};

export type RespelledRecord = { kind: SpellingKind; played: TrialRecord; was: string; now: string };

/** Returns copies of the record with the subject's words in other notations, one kind at a time. */
export function respellRecord(played: TrialRecord): RespelledRecord[] {
  const { events = [], says } = played;
  const spelled = new Map(says.map((text) => [text, Map.groupBy(listSpellings(text), ({ kind }) => kind)]));
  const kinds = new Set([...spelled.values()].flatMap((byKind) => [...byKind.keys()]));
  return [...kinds].flatMap((kind) => {
    const most = Math.max(...[...spelled.values()].map((byKind) => byKind.get(kind)?.length ?? 0));
    return Array.from({ length: most }, (_, index): RespelledRecord => {
      const other = (text: string): string => {
        const forms = spelled.get(text)?.get(kind) ?? [];
        return (forms[index] ?? forms.at(-1))?.text ?? text;
      };
      const was = says.find((text) => other(text) !== text) ?? '';
      const changed = events.map((event) => (event.type === 'says' ? { ...event, text: other(event.text) } : event));
      return { kind, was, now: other(was), played: withWords(played, changed, says.map(other)) };
    });
  });
}

function withWords(played: TrialRecord, events: NonNullable<TrialRecord['events']>, says: string[]): TrialRecord {
  return played.events === undefined ? { ...played, says } : withEvents(played, events);
}

/** `passes`: whether all of `failing`, which must be checkers that ran, accept another record. */
export async function findWordFault(
  { sample, played, failing }: { sample: Sample; played: TrialRecord; failing: readonly Verdict[] },
  passes: (played: TrialRecord) => Promise<boolean>,
): Promise<WordFault> {
  const who = failing.map(({ checker }) => checker).join(', ');
  if (played.says.length === 0) return {};
  for (const { played: other, was, now } of respellRecord(played)) {
    if (await passes(other))
      return {
        spelling: `checker ${who} refuses one spelling: it passes with ${quoteText(now)} for ${quoteText(was)}`,
      };
  }
  for (const { played: other, was, golden } of withGoldWords(sample, played)) {
    if (!(await passes(other))) continue;
    return {
      said: was,
      wording: `only words decide it: checker ${who} passes with gold's ${quoteText(golden)} for ${quoteText(was)}; if both say as much, the checker is too strict (3)`,
    };
  }
  return {};
}

/** Gold's last words for the subject's last, then what gold says on the way for what the subject says first. */
function withGoldWords(sample: Sample, played: TrialRecord): { played: TrialRecord; was: string; golden: string }[] {
  const { says, events = [] } = played;
  const onTheWay = sample.gold.flatMap((step) => ('says' in step ? [step.says] : []));
  const put = (golden: string, was: string) => {
    const said = events.map((event) =>
      event.type === 'says' && event.text === was ? { ...event, text: golden } : event,
    );
    const changed = says.map((text) => (text === was ? golden : text));
    return { played: withWords(played, said, changed), was, golden };
  };
  return [
    ...says.toReversed().map((was) => put(sample.gold_says, was)),
    ...onTheWay.flatMap((golden) => says.map((was) => put(golden, was))),
  ].slice(0, MOST_TRIED);
}

const MOST_TRIED = 12;

function quoteText(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
}
