/** Varies what a gold path did, place by place and call by call, so that the table and the checkers can be compared on each. */
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch, diffJson, joinPointer } from '../../../scenario/json/patch.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';
import { withEvents, type TrialRecord } from '../../components/trial-record.ts';

/** A varied play, and what it varies, to follow "the gold path of S". */
export type VariedPlay = { what: string; played: TrialRecord };

const MOST_WORLDS = 24;
const MOST_MOVES = 6;

export function varyGold(gold: TrialRecord): VariedPlay[] {
  return [...varyWorld(gold), ...varyOrder(gold)];
}

/** Every value that gold wrote, changed by itself; every change left out; every added record written twice. */
function varyWorld(gold: TrialRecord): VariedPlay[] {
  const patch = diffJson(gold.before, gold.after);
  const play = (what: string, world: JsonObject, operations: readonly PatchOperation[]): VariedPlay[] => {
    const end = applyPatch(world, operations);
    return end.ok ? [{ what, played: { ...gold, after: end.world } }] : [];
  };
  const varied = patch.flatMap((operation, index) => {
    const { op, path } = operation;
    const lacking = play(`without what it did at ${path}`, gold.before, patch.toSpliced(index, 1));
    if (op === 'remove') return lacking;
    const leaves = changeLeaves(operation.value, path);
    const changed = leaves.flatMap((leaf) =>
      play(`with ${JSON.stringify(leaf.value)} at ${leaf.path}`, gold.after, [leaf]),
    );
    const isRecord = op === 'add' && isJsonObject(operation.value);
    const twice = isRecord ? play(`with ${path} written twice`, gold.after, doubleEntry(operation)) : [];
    return [...lacking, ...changed, ...twice];
  });
  return varied.slice(0, MOST_WORLDS);
}

/** Adds the record again at the end of its list, or under another key of its map. */
function doubleEntry({ path, value }: { path: string; value: unknown }): PatchOperation[] {
  const [, parent = '', key = ''] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
  return [{ op: 'add', path: /^\d+$/.test(key) ? `${parent}/-` : `${parent}/${key}-again`, value }];
}

type Replacement = { op: 'replace'; path: string; value: unknown };

function changeLeaves(value: unknown, path: string): Replacement[] {
  const replace = (to: unknown): Replacement[] => [{ op: 'replace', path, value: to }];
  if (typeof value === 'number') return replace(value + 1);
  if (typeof value === 'boolean') return replace(!value);
  if (typeof value === 'string') return replace(`${value}-changed`);
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => changeLeaves(child, path + joinPointer([key])));
}

/** One call before all others, or after them: the world stays, because the order alone is varied. */
function varyOrder(gold: TrialRecord): VariedPlay[] {
  const { events = [] } = gold;
  const places = events.flatMap((event, index) => (event.type === 'call' && event.by === undefined ? [index] : []));
  const moves = places.flatMap((from) => {
    const event = events[from];
    const [first = 0, last = 0] = [places[0], places.at(-1)];
    if (event?.type !== 'call') return [];
    const others = events.toSpliced(from, 1);
    return [
      ...(from === first
        ? []
        : [{ what: `with ${event.tool} before all other calls`, events: others.toSpliced(first, 0, event) }]),
      ...(from === last
        ? []
        : [{ what: `with ${event.tool} after all other calls`, events: others.toSpliced(last, 0, event) }]),
    ];
  });
  return moves.slice(0, MOST_MOVES).map(({ what, events: moved }) => ({
    what,
    played: withEvents(
      gold,
      moved.map((event, step) => ({ ...event, step })),
    ),
  }));
}
