/** The user of one trial: silent or scripted here, or a model; answers each message of the subject, and may call tools. */
import type { Sample } from '../../scenario/sample.ts';
import type { StopCause } from '../../scenario/trace.ts';
import { NO_USAGE, type Usage } from '../../transcript/message.ts';
import type { ToolRequest } from '../components/call-tool.ts';

export type UserPrompt = {
  /** The message of the subject. */
  said: string;
  /** Runs a tool of the user. */
  act: (call: ToolRequest) => Promise<{ output: unknown; is_error: boolean }>;
  leftMs: number;
};

/** Without `says` the conversation is over. */
export type UserAnswer = {
  says: string | undefined;
  end?: { stop: StopCause; detail: string };
  usage: Usage;
  costUsd: number;
};

export type SimulatedUser = {
  answer(prompt: UserPrompt, signal: AbortSignal): Promise<UserAnswer>;
};

/** Says its first words and no more. */
export const silentUser: SimulatedUser = {
  answer: () => Promise.resolve({ says: undefined, usage: NO_USAGE, costUsd: 0 }),
};

/**
 * Acts first: the first open act whose phrase is in the subject's message. Else one line `key: value` for each
 * fact whose key occurs in it, each fact once.
 */
export function scriptedUser({ user }: Pick<Sample, 'user'>): SimulatedUser {
  const acts = [...(user.acts ?? [])];
  const facts = new Map(Object.entries(user.knows));
  const factsIn = (text: string): string | undefined => {
    const known = [...facts].filter(([key]) => text.includes(key.toLowerCase()));
    for (const [key] of known) facts.delete(key);
    return known.length === 0 ? undefined : known.map(([key, value]) => `${key}: ${value}`).join('\n');
  };
  return {
    async answer({ said, act }) {
      const text = said.toLowerCase();
      const index = acts.findIndex(({ when }) => text.includes(when.toLowerCase()));
      const [next] = index < 0 ? [] : acts.splice(index, 1);
      for (const call of next?.calls ?? []) await act(call);
      return { says: next?.says ?? factsIn(text), usage: NO_USAGE, costUsd: 0 };
    },
  };
}
