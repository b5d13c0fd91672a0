/** Plays a changed gold path again through the tools: words and order stay as they were, effects follow from the calls. */
import type { SampleCall } from '../../../../scenario/sample.ts';
import { withEvents, type TrialCall, type TrialEvent, type TrialRecord } from '../../../components/trial-record.ts';
import type { Play, PlayGround, PlayKind } from './play.ts';
import { callOnce } from './call-once.ts';

/** A call to make, or one that is taken as it was and has no effect. `from`: the gold call that it takes the place of. */
export type VariantCall = { from: number } & (SampleCall | { failed: TrialCall });

/** New calls come right before or after the gold call that they name; words stay where they were. */
export async function replayVariant(
  { stage, gold }: Pick<PlayGround, 'stage' | 'gold'>,
  path: readonly VariantCall[],
  signal: AbortSignal,
): Promise<TrialRecord> {
  const events: TrialEvent[] = [];
  let [world, step, goldCall, next] = [gold.before, 0, -1, 0];
  const play = async (one: VariantCall): Promise<void> => {
    step += 1;
    if ('failed' in one) return void events.push({ type: 'call', ...one.failed, step });
    const { tool, args } = one;
    const by = stage.userTools?.has(tool) === true ? { by: 'user' as const } : {};
    const { world: after, ...call } = await callOnce(stage, { tool, args, world, ...by }, signal);
    events.push({ type: 'call', step, tool, input: args, ...call, ...by });
    world = after;
  };
  const playUntil = async (last: number): Promise<void> => {
    for (let one = path[next]; one !== undefined && one.from <= last; one = path[next]) {
      next += 1;
      await play(one);
    }
  };
  for (const event of gold.events ?? []) {
    if (event.type === 'says') step += 1;
    if (event.type === 'call') await playUntil((goldCall += 1));
    else events.push({ ...event, step });
  }
  await playUntil(Infinity);
  return withEvents({ before: gold.before, after: world, stop: gold.stop }, events);
}

/** A variant to play; `at` is the gold call that it is about, and `detail` ends the name of the play. */
export type PlayDraft = { kind: PlayKind; at: number; detail?: string; path: readonly VariantCall[] };

type DraftChoice<Draft> = { most: number; isWanted: (draft: Draft, played: TrialRecord) => boolean };

/** Replays all drafts at once, so that equal and waiting calls are made together, and keeps the first wanted of each kind. */
export async function playDrafts<Draft extends PlayDraft>(
  { drafts, ground }: { drafts: readonly Draft[]; ground: PlayGround },
  { most, isWanted }: DraftChoice<Draft>,
  signal: AbortSignal,
): Promise<Play[]> {
  const replayed = await Promise.all(
    drafts.map(async (draft) => ({ draft, played: await replayVariant(ground, draft.path, signal) })),
  );
  const wanted = replayed.filter(({ draft, played }) => isWanted(draft, played));
  const plays = wanted.map(({ draft: { kind, at, detail = '' }, played }): Play => {
    const { tool = '' } = ground.gold.calls[at] ?? {};
    return { kind, name: `${kind} ${at + 1} ${tool} ${detail}`.trim(), tool, played };
  });
  // Each call has a first variant before any has a second, else the last calls of a long path would have none.
  const places = wanted.map(({ draft: { kind, at } }) => `${kind} ${at}`);
  const rank = (index: number): number => places.slice(0, index).filter((one) => one === places[index]).length;
  const order = [...plays.keys()].toSorted((a, b) => rank(a) - rank(b));
  const byKind = Map.groupBy(order, (index) => plays[index]?.kind);
  const kept = new Set([...byKind.values()].flatMap((same) => same.slice(0, most)));
  return plays.filter((_, index) => kept.has(index));
}
