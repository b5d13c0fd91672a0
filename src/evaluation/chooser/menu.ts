/** Builds the closed list of what a sample lets its user do in one turn: what is not on it cannot be said. */
import { createHash } from 'node:crypto';
import { endsSentence, holdsValue, listWords } from '../../scenario/language/split-text.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findLanguage } from '../scripted-user/languages.ts';
import { isSentence, isYesOrNo } from '../scripted-user/sentences.ts';
import { readMeaning } from '../scripted-user/meaning.ts';
import type { KnownTalk } from './content-words.ts';

/** The moves that stand alone: beside them nothing is said. */
export const LONELY = ['wait', 'all', 'end', 'none'] as const;
/** `decide` is a yes or no that the sample names, `agree` the plain yes of a user whose sample names no decision. */
type MoveKind = 'tell' | 'unknown' | 'decide' | 'agree' | 'refuse' | 'act' | 'again' | 'ask' | (typeof LONELY)[number];
export type Move = { id: string; kind: MoveKind; /** A sentence for the model that chooses. */ means: string };

/** Written into results: plays of another version are not compared without a word. */
export const USER_VERSION = 'chooser-10';

/** The past of the user in this conversation, as far as it decides about the next turn. */
export type UserState = {
  acts: NonNullable<Sample['user']['acts']>;
  /** Keys and ids that were said. */
  said: Set<string>;
  /** A yes was said, and the subject has changed nothing since. */
  hasAgreed: boolean;
  waits: number;
  /** Calls of the subject that had changed something when it last spoke. */
  changes: number;
  /** What the subject said last: when it only says it again, nothing more comes. */
  heard?: string;
};

export type TurnToChoose = KnownTalk & {
  menu: readonly Move[];
  state: UserState;
  said: string;
  /** The subject has called something since its user last spoke. */
  hasActed: boolean;
  /** Every call of gold was made with success. */
  isDone: boolean;
  /** And something was changed, so that there is nothing left to agree to. */
  isOver: boolean;
};

export const WAIT: Move = { id: 'wait', kind: 'wait', means: 'wait, because the agent goes on working' };
export const ASK: Move = { id: 'ask', kind: 'ask', means: 'ask what is meant, because no other move answers' };
export const AGAIN: Move = { id: 'again', kind: 'again', means: 'name the one of two things that the user came for' };
export const WISH: Move = { id: 'wish', kind: 'again', means: 'say what the user came for, and not what is offered' };
export const ALL: Move = { id: 'all', kind: 'all', means: 'say that the user has told all that it knows' };
export const END: Move = { id: 'end', kind: 'end', means: 'say nothing more: nothing is asked, the user is finished' };
export const NONE: Move = { id: 'none', kind: 'none', means: 'nothing on this list answers what the agent asks' };

/** Chooses a move; `quote` are the words that ask for it. */
export const choose = ({ id }: Move, quote = ''): ChosenMove => ({ move: id, quote });

export function buildMenu({ user, gold }: Pick<Sample, 'user' | 'gold'>, state: UserState): Move[] {
  const known = Object.entries(user.knows).map(([key, value]): Move => {
    const means = `${key}: ${value}`;
    if (!isDecision(key, value, user)) return { id: `tell:${key}`, kind: 'tell', means: `tell: ${means}` };
    const asked = `answer a question whether the user agrees or wants something: ${means}`;
    return { id: `decide:${key}`, kind: 'decide', means: asked };
  });
  const agreed = `agree to exactly what the user came for ("${user.says_first}"), and to nothing else`;
  const mayAgree = gold.some((step) => 'tool' in step) && !known.some(({ kind }) => kind === 'decide');
  // Only a language that is known has words for a question that names nothing, and for having told everything.
  const isRead = findLanguage(user.says_first) !== undefined;
  const untold = listUntold(user, state).length;
  return [
    ...known,
    ...user.does_not_know.map((entry): Move => {
      return { id: `unknown:${entry}`, kind: 'unknown', means: `say that the user does not know: ${entry}` };
    }),
    ...(mayAgree ? [{ id: 'agree', kind: 'agree' as const, means: agreed }] : []),
    { id: 'refuse', kind: 'refuse', means: 'decline an offer of something that the user did not come for' },
    ...state.acts.map(({ when, says }, index): Move => {
      const means = `do what the agent asks for with "${when}", and say: ${says}`;
      return { id: `act:${index}`, kind: 'act', means };
    }),
    WAIT,
    ...[AGAIN, WISH, ...(isRead || untold > 0 ? [ASK] : [])].filter(({ id }) => !state.said.has(id)),
    ...(isRead && untold === 0 ? [ALL] : []),
    END,
    NONE,
  ];
}

/** After it has asked back by the one name that is left, the user tells that fact to whoever asks again. */
export function findOffered({ sample: { user }, state, menu }: TurnToChoose): Move | undefined {
  const [only, ...others] = listUntold(user, state);
  // A sentence without a number may be an objection, which only what it objects to calls for.
  const isObjection = isSentence(user.knows[only ?? ''] ?? '') && !/\d/.test(user.knows[only ?? ''] ?? '');
  if (!state.said.has(ASK.id) || others.length > 0 || isObjection) return undefined;
  return menu.find(({ id }) => id === `tell:${only}`);
}

/** Names of what the user knows, decides nothing by, and has not told. */
export function listUntold(user: Sample['user'], { said }: Pick<UserState, 'said'>): string[] {
  return Object.entries(user.knows).flatMap(([key, value]) =>
    isDecision(key, value, user) || holdsValue(user.says_first, value) || said.has(`tell:${key}`) ? [] : [key],
  );
}

/**
 * A yes or no. In a language that is not read it is a short word that stands alone or is set apart ("Evet, olur."), or a sentence
 * whose name holds the number that it decides on. Beside one with a number, another short word is a fact ("Thursday").
 */
export function isDecision(key: string, value: string, { knows, says_first: first }: Sample['user']): boolean {
  // A "confirmation code" is a name of a thing, and agrees to nothing.
  if (isYesOrNo(value) || (readMeaning(key).has('agree') && !/^\S*\d\S*$/.test(value))) return true;
  if (findLanguage(first) !== undefined) return false;
  if (/\d/.test(key)) return isAnswer(value);
  const priced = Object.entries(knows).flatMap(([name, one]) => (/\d/.test(name) && isAnswer(one) ? [one] : []));
  const isAlike = priced.length === 0 || priced.some((one) => listWords(one)[0] === listWords(value)[0]);
  return isShort(value) && isAlike;
}

const isShort = (value: string): boolean =>
  /^\p{L}[\p{L}\p{M}]{0,4}(?:$|[\p{Sentence_Terminal},،、，;])/u.test(value.trim());
const isAnswer = (value: string): boolean => isShort(value) || (endsSentence(value) && !/[\d?？؟]/.test(value));

/** True for a told sentence that may be a yes all the same, in a language that is not read. */
export function mayBeYes({ id, kind }: Move, { knows, says_first: first }: Sample['user']): boolean {
  return kind === 'tell' && findLanguage(first) === undefined && isAnswer(knows[id.slice('tell:'.length)] ?? '');
}

/** Names a menu in the trace: a trial that is judged again was offered the same moves. */
export function digestMenu(menu: readonly Move[]): string {
  return createHash('sha256').update(JSON.stringify(menu)).digest('hex').slice(0, 12);
}
