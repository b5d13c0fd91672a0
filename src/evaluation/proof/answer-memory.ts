/** Remembers answers of a sandbox by code and arguments, because an iteration repeats nearly all of the one before. */
import { getOrCreate } from '../../get-or-create.ts';
import type { Sandbox } from '../../ports/sandbox.ts';

/** Characters of all answers of one sandbox; the answers that were used longest ago go first. */
const MOST_CHARS = 24_000_000;

/** Values are JSON. Only answers of code that proved to be the same at every call belong here. A key is short: its long parts are digests. */
export type AnswerMemory = {
  recall(key: readonly string[]): unknown;
  remember(key: readonly string[], value: unknown): void;
};

const memories = new WeakMap<Sandbox, AnswerMemory>();

/** Returns the memory of a sandbox, which lives as long as the sandbox: another process measures again. */
export function getAnswerMemory(sandbox: Sandbox): AnswerMemory {
  return getOrCreate(memories, sandbox, () => createAnswerMemory(MOST_CHARS));
}

export function createAnswerMemory(mostChars: number): AnswerMemory {
  const texts = new Map<string, string>();
  let chars = 0;
  const put = (name: string, text: string): void => {
    chars += text.length - (texts.get(name)?.length ?? 0);
    // Behind all others: those that were used longest ago go first.
    texts.delete(name);
    texts.set(name, text);
  };
  return {
    recall(key) {
      const name = JSON.stringify(key);
      const text = texts.get(name);
      if (text === undefined) return undefined;
      put(name, text);
      return JSON.parse(text) as unknown;
    },
    remember(key, value) {
      put(JSON.stringify(key), JSON.stringify(value));
      for (const [oldest, text] of texts) {
        if (chars <= mostChars) return;
        chars -= text.length;
        texts.delete(oldest);
      }
    },
  };
}
