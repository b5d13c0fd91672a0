/** The gold path as a saboteur would change it: each play does something wrong, so somebody must refuse it. */
import { listCalls } from '../../../../scenario/sample.ts';
import { sameJson } from '../../../../scenario/json/json-value.ts';
import { acceptedEnds } from '../../../judge/judge-expectation.ts';
import { type TrialRecord, type TrialEvent, withEvents, withLastWords } from '../../../components/trial-record.ts';
import type { Play, PlayGround } from './play.ts';
import { isFreeText, otherValues } from './other-values.ts';
import { playDrafts, type PlayDraft, type VariantCall } from './replay-variant.ts';
import { wordMutants } from '../../word-mutants.ts';

/** The most plays of one kind for one sample. */
const MOST_OF_A_KIND = 6;

/** Makes the plays, without those whose end the sample accepts: their difference may be right. */
export async function playSabotages(ground: PlayGround, signal: AbortSignal): Promise<Play[]> {
  const { gold, loaded } = ground;
  const accepted = [gold.after, ...acceptedEnds(loaded.sample, gold.before).ends];
  const isWanted = (_: PlayDraft, { after }: TrialRecord): boolean => !accepted.some((end) => sameJson(end, after));
  const choice = { most: MOST_OF_A_KIND, isWanted };
  const plays = await playDrafts({ drafts: listDrafts(ground), ground }, choice, signal);
  return [...plays, ...damagedWords(gold), ...playFalseWords(ground)];
}

function listDrafts({ gold, stage, loaded, values }: PlayGround): PlayDraft[] {
  const path: VariantCall[] = gold.calls.map(({ tool, input }, from) => ({ tool, args: input, from }));
  const effects = gold.calls.flatMap(({ change }, at) => (change.length > 0 ? [at] : []));
  const foreign = listCalls(loaded.sample.wrong).filter(
    ({ tool, args }) => !gold.calls.some((call) => call.tool === tool && sameJson(call.input, args)),
  );
  return effects.flatMap((at): PlayDraft[] => {
    const call = gold.calls[at];
    if (call === undefined) return [];
    const { tool, input } = call;
    const undeclared = {
      ...call,
      tool: `${tool}_now`,
      output: `There is no tool "${tool}_now".`,
      is_error: true,
      change: [],
      error: 'unknown_tool' as const,
    };
    const failed = { ...call, output: 'The service is not available.', is_error: true, change: [] };
    const changed = Object.keys(input)
      .filter((name) => !isFreeText(stage.tools.get(tool), { name, value: input[name], sample: loaded.sample }))
      .flatMap((name) =>
        otherValues(stage.tools.get(tool), { name, args: input, values }, 2).map((value): PlayDraft => {
          const args = { ...input, [name]: value };
          return {
            kind: 'change-argument',
            at,
            detail: `${name} ${JSON.stringify(value)}`,
            path: path.with(at, { tool, args, from: at }),
          };
        }),
      );
    return [
      { kind: 'remove-call', at, path: path.toSpliced(at, 1) },
      { kind: 'hide-failure', at, path: path.with(at, { failed, from: at }) },
      { kind: 'undeclared-tool', at, path: path.with(at, { failed: undeclared, from: at }) },
      { kind: 'repeat-effect', at, path: path.toSpliced(at, 0, { tool, args: input, from: at }) },
      ...changed,
      ...foreign.map((one): PlayDraft => ({
        kind: 'extra-call',
        at,
        detail: `then ${one.tool}`,
        path: path.toSpliced(at + 1, 0, { ...one, from: at }),
      })),
    ];
  });
}

const OTHER_WORDS = 'Thank you for waiting. Is there anything else that I can do for you today?';

/** Name of the play whose last words answer nothing. */
export const WORDS_AT_ALL = 'damage-words other words';

/** Makes plays whose last words have other numbers, or answer nothing. */
function damagedWords(gold: TrialRecord): Play[] {
  const last = gold.says.at(-1) ?? '';
  const numbers = last.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  const damaged = [
    ['other words', OTHER_WORDS],
    ...(numbers === last ? [] : [['other numbers', numbers] as const]),
  ] as const;
  return damaged.map(([detail, text]) => ({
    kind: 'damage-words',
    name: `damage-words ${detail}`,
    played: withLastWords(gold, text),
  }));
}

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
