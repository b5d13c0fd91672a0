/** The scripted user: says first what the sample says, then tells what it knows when it is asked for it by name. */
import type { Sample } from '../../scenario/sample.ts';

export type ScriptedUser = {
  /** What the user says after a text of the subject; undefined when there is nothing left to say to it. */
  reply(said: string): string | undefined;
};

/** One line `key: value` for each key that occurs in the subject's text and was not told before. */
export function answerAsUser({ user }: Pick<Sample, 'user'>): ScriptedUser {
  const untold = new Map(Object.entries(user.knows));
  return {
    reply(said) {
      if (untold.size === 0) return undefined;
      const text = said.toLowerCase();
      const asked = [...untold].filter(([key]) => text.includes(key.toLowerCase()));
      for (const [key] of asked) untold.delete(key);
      return asked.length === 0 ? undefined : asked.map(([key, value]) => `${key}: ${value}`).join('\n');
    },
  };
}
