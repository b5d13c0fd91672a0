/** Which event made a checker refuse for good that does not say so itself: it is asked about the same trial, shorter and shorter. */
import { applyPatch } from '../../scenario/json/patch.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import type { Verdict } from '../../scenario/result.ts';
import { withEvents, type TrialRecord } from '../components/trial-record.ts';

/** A trial may be long, and a checker slow. */
const MOST_CUTS = 60;

/**
 * The place among the events: without it, and what came after, a checker accepts the trial, and with it never again. The earliest of
 * several checkers. Undefined where something was never done: then they refuse the shortest trial as well.
 */
export async function turningPoint(
  played: TrialRecord,
  refusing: readonly string[],
  judge: (shorter: TrialRecord, checkers: readonly string[]) => Promise<readonly Verdict[]>,
): Promise<number | undefined> {
  const { events = [], before } = played;
  const worlds = worldsOf(played);
  let open = refusing;
  let turn: number | undefined;
  for (let kept = events.length - 1; kept > 0 && events.length - kept <= MOST_CUTS; kept -= 1) {
    const after = worlds[kept];
    if (open.length === 0 || after === undefined) break;
    const shorter = withEvents({ before, after, stop: 'done' }, events.slice(0, kept));
    const verdicts = await judge(shorter, open);
    if (verdicts.some(({ pass }) => pass)) turn = kept;
    // What breaks on a shorter trial says nothing about it, nor about those before.
    open = verdicts.filter(({ pass, broken }) => !pass && broken !== true).map(({ checker }) => checker);
  }
  return turn;
}

/** The world before each event; shorter where a change does not apply. */
function worldsOf({ before, events = [] }: TrialRecord): JsonObject[] {
  const worlds = [before];
  let world = before;
  for (const event of events) {
    const next = event.type === 'call' ? applyPatch(world, event.change) : { ok: true as const, world };
    if (!next.ok) break;
    ({ world } = next);
    worlds.push(world);
  }
  return worlds;
}
