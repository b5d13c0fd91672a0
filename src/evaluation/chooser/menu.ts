/** Builds the closed list of what a sample lets its user do in one turn: what is not on it cannot be said. */
import { createHash } from 'node:crypto';
import { endsSentence } from '../../scenario/language/split-text.ts';
import type { Sample } from '../../scenario/sample.ts';
import { findLanguage } from '../scripted-user/find-language.ts';
import { isYesOrNo } from '../scripted-user/languages.ts';
import { readMeaning } from '../scripted-user/meaning.ts';

/** `decide` is a yes or no that the sample names, `agree` the plain yes of a user whose sample names no decision. */
export type MoveKind = 'tell' | 'unknown' | 'decide' | 'agree' | 'refuse' | 'act' | 'wait' | 'ask' | 'end' | 'none';
export type Move = { id: string; kind: MoveKind; /** A sentence for the model that chooses. */ means: string };

/** Written into results: plays of another version are not compared without a word. */
export const USER_VERSION = 'chooser-1';

export type UserAct = NonNullable<Sample['user']['acts']>[number];

/** The past of the user in this conversation, as far as it decides about the next turn. */
export type UserState = {
  acts: UserAct[];
  /** Keys and ids that were said. */
  said: Set<string>;
  /** A yes was said, and the subject has not acted since. */
  hasAgreed: boolean;
  waits: number;
};

export const WAIT: Move = { id: 'wait', kind: 'wait', means: 'wait, because the agent goes on working' };
export const END: Move = {
  id: 'end',
  kind: 'end',
  means: 'say nothing more: the agent asks nothing, and what the user waits for has come or cannot come',
};
export const NONE: Move = { id: 'none', kind: 'none', means: 'nothing on this list answers what the agent asks' };

export function buildMenu({ user, gold }: Pick<Sample, 'user' | 'gold'>, state: UserState): Move[] {
  const known = Object.entries(user.knows);
  const isChoice = (key: string, value: string) => isDecision(key, value, user.says_first);
  const decisions = known.filter(([key, value]) => isChoice(key, value));
  const acts = gold.some((step) => 'tool' in step);
  return [
    ...known.map(([key, value]): Move => {
      const means = isChoice(key, value)
        ? `answer a question whether the user agrees or wants something: ${key}: ${value}`
        : `tell: ${key}: ${value}`;
      const kind = isChoice(key, value) ? 'decide' : 'tell';
      return { id: `${kind}:${key}`, kind, means };
    }),
    ...user.does_not_know.map((entry): Move => ({
      id: `unknown:${entry}`,
      kind: 'unknown',
      means: `say that the user does not know: ${entry}`,
    })),
    ...(acts && decisions.length === 0
      ? [
          {
            id: 'agree',
            kind: 'agree' as const,
            means: `agree to exactly what the user came for ("${user.says_first}"), and to nothing else`,
          },
        ]
      : []),
    { id: 'refuse', kind: 'refuse', means: 'decline an offer of something that the user did not come for' },
    ...state.acts.map(({ when, says }, index): Move => {
      const means = `do what the agent asks for with "${when}", and say: ${says}`;
      return { id: `act:${index}`, kind: 'act', means };
    }),
    WAIT,
    ...(state.said.has('ask')
      ? []
      : [{ id: 'ask', kind: 'ask' as const, means: 'ask what is meant, because the message is not understood' }]),
    END,
    NONE,
  ];
}

/** A yes or no; in a language that is not read, each short word and each sentence without digits may be one. */
export function isDecision(key: string, value: string, talk: string): boolean {
  if (isYesOrNo(value) || readMeaning(key).has('agree')) return true;
  if (findLanguage(talk) !== undefined) return false;
  return /^\p{L}{1,5}[.!。！]?$/u.test(value.trim()) || (endsSentence(value) && !/\d/.test(value));
}

/** Names a menu in the trace: a trial that is judged again was offered the same moves. */
export function digestMenu(menu: readonly Move[]): string {
  return createHash('sha256').update(JSON.stringify(menu)).digest('hex').slice(0, 12);
}
