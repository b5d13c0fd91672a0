/** A number that a reading tool tells, and that a writing tool is then given or writes, is one number in all gold paths. */
import type { TrialCall } from '../../components/trial-record.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isRefused } from '../gold-runs.ts';
import type { PlayedGold } from './observed-calls.ts';
import { foldKey, listLeaves, type Leaf } from './world-records.ts';

/** A number that was told before a change, and the one that the change has in a place: both in one gold path. */
type UsedNumber = {
  sample: string;
  read: TrialCall;
  field: string;
  told: number;
  place: string;
  used: number;
  /** Another number that was told is meant, or this one is what the change has there beside it: a fee beside a price. */
  isTold: boolean;
};

/** So many other numbers that agree show what a field is for. */
const LEAST_ALIKE = 2;

export function findUnlikeUse(tool: string, golds: readonly PlayedGold[]): string | undefined {
  const numbers = golds.flatMap(({ sample, gold }) => listUsed(tool, sample, gold.calls));
  for (const same of Map.groupBy(numbers, ({ place }) => place).values()) {
    const fields = [...Map.groupBy(same, ({ field }) => field).values()].map((all) => ({
      alike: all.filter(({ told, used }) => told === used),
      unlike: all.filter((one) => !one.isTold && !isPart(one)),
    }));
    const meant = fields.filter(({ alike }) => new Set(alike.map(({ used }) => used)).size >= LEAST_ALIKE);
    // Where one field is right throughout, the others mean something else.
    if (meant.some(({ unlike }) => unlike.length === 0)) continue;
    const found = meant.find(({ alike, unlike }) => unlike.length * 2 <= alike.length);
    const [odd] = found?.unlike ?? [];
    if (found !== undefined && odd !== undefined)
      return `it answers ${odd.field} ${odd.told} to ${describeCall(odd.read)} in ${odd.sample}, where gold then has ${odd.used} as ${odd.place}; in ${found.alike.length} other gold paths these are one number`;
  }
  return undefined;
}

/** An amount may be one of several like ones, or be for several. */
function isPart({ told, used }: UsedNumber): boolean {
  const [small, large] = [Math.min(told, used), Math.max(told, used)];
  const times = Math.round(large / small);
  return small > 0 && times > 1 && Math.abs(large - times * small) < times;
}

/** The numbers of the last answer before each change, where it was asked about nothing that the change is not about. */
function listUsed(tool: string, sample: string, calls: readonly TrialCall[]): UsedNumber[] {
  return calls.flatMap((write, index): UsedNumber[] => {
    const about = new Set(listTexts(write));
    const isAsked = (one: TrialCall): boolean => one.tool === tool && listTexts(one).every((text) => about.has(text));
    const read = calls.slice(0, index).findLast(isAsked);
    if (write.change.length === 0 || isRefused(write) || read === undefined || isRefused(read)) return [];
    const told = listLeaves(read.output).flatMap(({ path, value }) =>
      typeof value === 'number' && value !== 0 && !/\/\d+(?:\/|$)/.test(path)
        ? [{ field: path.slice(1), told: value }]
        : [],
    );
    const places = listPlaces(write);
    const isWritten = (place: string, number: number): boolean =>
      places.some((one) => one.place === place && one.used === number);
    return told.flatMap((one) =>
      places.map((two) => {
        const isTold = told.some((other) => other.told === two.used) || isWritten(two.place, one.told);
        return { sample, read, ...one, ...two, isTold };
      }),
    );
  });
}

function listTexts({ input }: TrialCall): string[] {
  return listLeaves(input).flatMap(({ value }) => (typeof value === 'string' ? [foldKey(value)] : []));
}

/** The numbers that a call is given, and those that it writes. */
function listPlaces({ tool, input, change }: TrialCall): { place: string; used: number }[] {
  const written = change.flatMap((one) => ('value' in one ? listLeaves(one.value) : []));
  const name = (leaves: readonly Leaf[], verb: string) =>
    leaves.flatMap(({ field, value }) =>
      typeof value === 'number' && value !== 0 && field !== ''
        ? [{ place: `${field} that ${tool} ${verb}`, used: value }]
        : [],
    );
  return [...name(listLeaves(input), 'is given'), ...name(written, 'writes')];
}
