/** The gold path as a saboteur would change it: each play does something wrong, so somebody must refuse it. */
import { listCalls } from '../../../../scenario/sample.ts';
import { sameJson } from '../../../../scenario/json/json-value.ts';
import { acceptedEnds } from '../../../judge/judge-expectation.ts';
import type { TrialRecord } from '../../../components/trial-record.ts';
import { isFreeText, otherValues } from './other-values.ts';
import { playFalseWords } from './false-words.ts';
import type { Play, PlayGround, PlayKind } from './play.ts';
import { replayVariant, withLastWords, type VariantCall } from './replay-variant.ts';

/** The most plays of one kind for one sample. */
const MOST_OF_A_KIND = 6;

type PlayDraft = { kind: PlayKind; at: number; detail?: string; path: readonly VariantCall[] };

/** Makes the plays, without those whose end the sample accepts: their difference may be right. */
export async function playSabotages(ground: PlayGround, signal: AbortSignal): Promise<Play[]> {
  const { gold, loaded } = ground;
  const accepted = [gold.after, ...acceptedEnds(loaded.sample, gold.before).ends];
  const plays: Play[] = [];
  const ofKind = new Map<PlayKind, number>();
  // All at once, so that equal and waiting calls are made together.
  const replayed = await Promise.all(
    listDrafts(ground).map(async (draft) => ({ draft, played: await replayVariant(ground, draft.path, signal) })),
  );
  for (const { draft, played } of replayed) {
    const made = ofKind.get(draft.kind) ?? 0;
    if (made >= MOST_OF_A_KIND) continue;
    if (accepted.some((end) => sameJson(end, played.after))) continue;
    ofKind.set(draft.kind, made + 1);
    plays.push(toPlay(draft, { gold, played }));
  }
  return [...plays, ...damagedWords(gold), ...playFalseWords(ground)];
}

function toPlay(
  { kind, at, detail = '' }: PlayDraft,
  { gold, played }: { gold: TrialRecord; played: TrialRecord },
): Play {
  const { tool = '' } = gold.calls[at] ?? {};
  return { kind, name: `${kind} ${at + 1} ${tool} ${detail}`.trim(), tool, played };
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
      .filter((name) => !isFreeText(stage.tools.get(tool), name, input[name]))
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
