/** Many inputs of a checker as one value: what stands at one place in several of them is written once, and parsed once. */
import { isJsonObject } from '../../../../scenario/json/json-value.ts';
import type { ComponentInput } from './component-input.ts';

/** A part that is split holds the numbers of earlier parts in the place of its values. `roots` are those of the inputs. */
export type PackedInputs = { parts: { isSplit: boolean; value: unknown }[]; roots: number[] };

/** Values below this level are not split: an order of a world, a call of a trace. */
const MOST_LEVELS = 3;

/** Equal values at two places of one input stay two, because a checker may compare them by identity. */
export function packInputs(inputs: readonly ComponentInput[]): PackedInputs {
  const parts: PackedInputs['parts'] = [];
  const known = new Map<string, number>();
  // Plays of one sample share its objects, which are packed once without being looked through again.
  const seen = new Map<unknown, Map<string, number>>();
  const pack = (whole: unknown, place: string, level: number): number => {
    const places = seen.get(whole);
    const earlier = places?.get(place);
    if (earlier !== undefined) return earlier;
    const packPart = (name: string | number, part: unknown) => pack(part, `${place}/${name}`, level + 1);
    const isSplit = level <= MOST_LEVELS && (Array.isArray(whole) || isJsonObject(whole));
    const split = (): unknown => {
      if (Array.isArray(whole)) return whole.map((part, index) => packPart(index, part));
      const entries = Object.entries(whole as object).filter(([, part]) => part !== undefined);
      return Object.fromEntries(entries.map(([name, part]) => [name, packPart(name, part)]));
    };
    const value = isSplit ? split() : whole;
    const key = `${place} ${isSplit} ${JSON.stringify(value)}`;
    const number = known.get(key) ?? parts.push({ isSplit, value }) - 1;
    known.set(key, number);
    if (typeof whole === 'object') seen.set(whole, (places ?? new Map<string, number>()).set(place, number));
    return number;
  };
  const roots = inputs.map(({ args }) => pack(args, '', 0));
  return { parts, roots };
}
