/** Many inputs of a checker as one value: what stands at one place in several of them is written once, and parsed once. */
import { isJsonObject } from '../../../../scenario/json/json-value.ts';
import type { ComponentInput } from './component-input.ts';

/** Numbers from 0 are places in `leaves`, which is JSON text; those below are composites, the first of which is -1. */
export type PackedInputs = {
  leaves: string;
  composites: (number[] | Record<string, number>)[];
  roots: number[];
};

/** Values below this level are leaves: an order of a world, a call of a trace. */
const MOST_LEVELS = 3;

/** Equal values at two places of one input stay two, because a checker may compare them by identity. */
export function packInputs(inputs: readonly ComponentInput[]): PackedInputs {
  const leaves = new Map<string, number>();
  const texts: string[] = [];
  const known = new Map<string, number>();
  const composites: PackedInputs['composites'] = [];
  const pack = (value: unknown, place: string, level: number): number => {
    const isSplit = level <= MOST_LEVELS && (Array.isArray(value) || isJsonObject(value));
    const own = isSplit ? packParts(value, place, level) : undefined;
    const text = JSON.stringify(own ?? value);
    const [map, next] = own === undefined ? [leaves, texts.length] : [known, -1 - composites.length];
    const key = `${place} ${text}`;
    const found = map.get(key);
    if (found !== undefined) return found;
    map.set(key, next);
    if (own === undefined) texts.push(text);
    else composites.push(own);
    return next;
  };
  const packParts = (value: object, place: string, level: number): number[] | Record<string, number> => {
    if (Array.isArray(value)) return value.map((one, index) => pack(one, `${place}/${index}`, level + 1));
    const entries = Object.entries(value).filter(([, one]) => one !== undefined);
    return Object.fromEntries(entries.map(([name, one]) => [name, pack(one, `${place}/${name}`, level + 1)]));
  };
  const roots = inputs.map(({ args }) => pack(args, '', 0));
  return { leaves: `[${texts.join(',')}]`, composites, roots };
}
