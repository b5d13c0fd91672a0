/** Which values one host keeps: each is sent once, and the oldest make room when they are too many. */
import { KEPT_CHARS } from './limits.ts';
import type { CachedValue } from './shared-values.ts';

/** What has to be sent before a question; `drop` names what the host must forget for it. */
export type ValueCache = { put: (wanted: readonly CachedValue[]) => (CachedValue & { drop: string[] })[] };

export function createValueCache(): ValueCache {
  const chars = new Map<string, number>();
  const total = (): number => [...chars.values()].reduce((sum, one) => sum + one, 0);
  return {
    put(wanted) {
      const names = new Set(wanted.map(({ name }) => name));
      const missing = wanted.filter(({ name }) => !chars.has(name));
      // What is used last is dropped last.
      for (const { name, text } of wanted) {
        chars.delete(name);
        chars.set(name, text.length);
      }
      return missing.map((kept) => {
        const drop: string[] = [];
        for (const name of [...chars.keys()]) {
          if (total() <= KEPT_CHARS) break;
          if (!names.has(name) && chars.delete(name)) drop.push(name);
        }
        return { ...kept, drop };
      });
    },
  };
}
