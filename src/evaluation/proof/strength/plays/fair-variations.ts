/** Varies the gold path as other good subjects would: each play is as right as gold, so every judge must accept it. */
import { sameJson } from '../../../../scenario/json/json-value.ts';
import { diffJson } from '../../../../scenario/json/patch.ts';
import { type TrialCall, type TrialRecord, listedPath, playPath } from '../../../components/trial-record.ts';
import type { LoadedSample } from '../../../components/components.ts';
import type { Play, PlayGround } from './play.ts';
import { isFreeText } from './other-values.ts';
import { playDrafts, type PlayDraft, type VariantCall } from './replay-variant.ts';
import { playSabotages } from './sabotage.ts';

const MOST_OF_A_KIND = 4;
/** Characters of a changed value that the name of a play shows. */
const MOST_SHOWN = 40;

type FairDraft = PlayDraft & { mayEndElse?: boolean };

/** Keeps only plays with the effects and answers of gold; only a free text may be written in other words. */
export async function playFairVariations(ground: PlayGround, signal: AbortSignal): Promise<Play[]> {
  const { gold } = ground;
  const isWanted = ({ kind, at, mayEndElse = false }: FairDraft, played: TrialRecord): boolean => {
    if (!(mayEndElse ? haveSameAnswers(played, gold) : sameJson(played.after, gold.after))) return false;
    if (kind === 'other-spelling') return answersTheSame(played, gold);
    return kind !== 'repeat-refused' || isRefusedAgain(played, at);
  };
  return playDrafts({ drafts: listDrafts(ground), ground }, { most: MOST_OF_A_KIND, isWanted }, signal);
}

/** The second of two equal calls has no effect, and is not answered as the first: the tool refuses it. */
function isRefusedAgain({ calls }: TrialRecord, at: number): boolean {
  const [first, second] = [calls[at], calls[at + 1]];
  if (first === undefined || second === undefined || second.change.length > 0) return false;
  return second.is_error || !sameJson(first.output, second.output);
}

function haveSameAnswers(one: TrialRecord, other: TrialRecord): boolean {
  const shapes = ({ calls }: TrialRecord) =>
    calls.map(({ is_error, change }) => [is_error, change.map(({ op, path }) => [op, path])]);
  return sameJson(shapes(one), shapes(other));
}

/** Compares answers without case. A refusal may be an ordinary result, as when "wa-100" is unknown and WA-100 known. */
function answersTheSame(played: TrialRecord, gold: TrialRecord): boolean {
  const answers = ({ calls }: TrialRecord) =>
    JSON.stringify(calls.map(({ output }) => output))
      .toLowerCase()
      .replaceAll(/\s/g, '');
  return haveSameAnswers(played, gold) && answers(played) === answers(gold);
}

type SpliceArguments = [from: number, removed: number, ...put: VariantCall[]];

function listDrafts({ gold, readOnly, demandedReads, stage, loaded }: PlayGround): FairDraft[] {
  const path: VariantCall[] = gold.calls.map(({ tool, input }, from) => ({ tool, args: input, from }));
  const isLookup = ({ tool, change, by }: TrialCall): boolean =>
    readOnly.has(tool) && change.length === 0 && by === undefined;
  return gold.calls.flatMap((call, at): FairDraft[] => {
    const { tool, input, change, is_error, by } = call;
    const again = { tool, args: input, from: at };
    const following = gold.calls[at + 1];
    if (by === 'user') return [];
    const draft = (
      kind: PlayDraft['kind'],
      isFair: boolean,
      ...[from, removed, ...put]: SpliceArguments
    ): FairDraft[] => (isFair ? [{ kind, at, path: path.toSpliced(from, removed, ...put) }] : []);
    const isFound = isLookup(call) && !is_error;
    const isPair = isLookup(call) && following !== undefined && isLookup(following);
    return [
      ...draft('repeat-refused', is_error, at, 0, again),
      ...draft('drop-lookup', isFound && !demandedReads.has(tool), at, 1),
      ...draft('repeat-lookup', isFound, at, 0, again),
      // A second effect that the tool refuses is as harmless as any refused call.
      ...draft('repeat-refused', change.length > 0, at, 0, again),
      ...draft('reorder', isPair, at, 2, ...path.slice(at, at + 2).toReversed()),
      ...Object.entries(input).flatMap(([name, value]): FairDraft[] => {
        if (typeof value !== 'string') return [];
        const put = (text: string): VariantCall[] =>
          path.with(at, { tool, args: { ...input, [name]: text }, from: at });
        // A phrase is added to the text; all its numbers and names stay.
        if (isFreeText(stage.tools.get(tool), { name, value, sample: loaded.sample }))
          return [
            {
              kind: 'other-words',
              at,
              detail: name,
              path: put(`As noted in this case: ${value.trim()}`),
              mayEndElse: true,
            },
          ];
        return [value.toLowerCase(), ` ${value} `]
          .filter((text) => text !== value)
          .map((text) => ({ kind: 'other-spelling', at, detail: `${name} ${JSON.stringify(text)}`, path: put(text) }));
      }),
    ];
  });
}

/** All plays of one sample: its own paths, what a saboteur makes of the gold path, and what other good subjects do. */
export type SamplePlays = { loaded: LoadedSample; plays: Play[] };

/** `ends`: the gold path with a changed end of the world. For a sample whose gold path passes. */
export async function samplePlays(
  ground: PlayGround,
  ends: readonly TrialRecord[],
  signal: AbortSignal,
): Promise<SamplePlays> {
  const { loaded, stage, gold } = ground;
  const { sample, world } = loaded;
  const wrong = await playPath(stage, listedPath(sample, 'wrong', world), signal);
  const [sabotages, variations] = await Promise.all([
    playSabotages(ground, signal),
    playFairVariations(ground, signal),
  ]);
  const nothing: TrialRecord = { before: world, after: world, calls: [], says: [], stop: 'done' };
  const plays: Play[] = [
    { kind: 'gold', name: 'gold', played: gold },
    { kind: 'nothing', name: 'nothing', played: nothing },
    { kind: 'wrong', name: 'wrong', played: wrong },
    ...ends.map((played): Play => ({ kind: 'corrupt-end', name: nameCorruption(gold, played), played })),
    ...sabotages,
    ...variations,
  ];
  return { loaded, plays };
}

/** Names a changed end by what is changed: another proof may list the ends in another order. */
function nameCorruption(gold: TrialRecord, played: TrialRecord): string {
  const changes = diffJson(gold.after, played.after).map((one) =>
    [one.op, one.path, 'value' in one ? JSON.stringify(one.value).slice(0, MOST_SHOWN) : ''].join(' ').trim(),
  );
  return ['corrupt-end', ...changes].join(' ');
}
