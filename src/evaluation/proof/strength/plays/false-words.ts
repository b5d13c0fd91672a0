/** Gold's right acts and right words with one false sentence, or in the wrong order: what a checker of words must refuse. */
import type { TrialEvent, TrialRecord } from '../../../components/trial-record.ts';
import { withEvents } from '../../../components/trial-record.ts';
import { wordMutants } from '../../word-mutants.ts';
import type { Play, PlayGround } from './play.ts';
import { withLastWords } from './replay-variant.ts';

/** The most tools of which an act is claimed that did not happen. */
const MOST_CLAIMS = 3;
/** Characters of a sentence that the name of a play shows. */
const MOST_SHOWN = 60;

export function playFalseWords({ gold, loaded: { sample }, readOnly, stage }: PlayGround): Play[] {
  const last = gold.says.at(-1) ?? '';
  const own = sample.wrong_says.trim();
  const called = new Set(gold.calls.map(({ tool }) => tool));
  const idle = [...stage.tools.keys()].filter(
    (name) => !readOnly.has(name) && !called.has(name) && stage.userTools?.has(name) !== true,
  );
  const sentences = [
    ...(own === '' || last.includes(own) ? [] : [own]),
    ...idle.slice(0, MOST_CLAIMS).map((name) => `I have done this for you as well: ${name.replaceAll('_', ' ')}.`),
  ];
  const said = sentences.map((sentence): Play => {
    const shown = sentence.length > MOST_SHOWN ? `${sentence.slice(0, MOST_SHOWN - 1)}…` : sentence;
    return {
      kind: 'false-words',
      name: `false-words right acts and right words, then "${shown}"`,
      played: withLastWords(gold, `${last} ${sentence}`),
    };
  });
  return [...said, ...actFirst(gold), ...saidTooEarly(gold, last)];
}

/** The act comes before the question that it needs. */
function actFirst(gold: TrialRecord): Play[] {
  const late = wordMutants(gold)
    .flat()
    .filter(({ kind }) => kind === 'asked-too-late');
  return late.map(({ title, played }) => ({ kind: 'false-words', name: `false-words ${title}`, played }));
}

/** What was done at the end is said at the beginning, when nothing was done, and never again. */
function saidTooEarly(gold: TrialRecord, last: string): Play[] {
  const events = gold.events ?? [];
  const end = events.findLastIndex(({ type }) => type === 'says');
  const isLate = events.slice(0, end).some((event) => event.type === 'call' && event.change.length > 0);
  if (!isLate || last === '') return [];
  const [first, ...others] = events.filter((_, index) => index !== end);
  if (first === undefined) return [];
  const early: TrialEvent[] = [
    first,
    { type: 'says', step: 1, text: last },
    ...others.map((event) => ({ ...event, step: event.step + 1 })),
  ];
  const played = withEvents(gold, early);
  return [{ kind: 'false-words', name: 'false-words the last words are said first, before any act', played }];
}
