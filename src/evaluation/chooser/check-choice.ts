/** Holds chosen moves against the menu and the message: what a chooser may not do is refused, whoever chose. */
import { listAmounts } from '../../scenario/language/amounts.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { splitSentences } from '../../scenario/language/split-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { saysNo, saysYes } from '../scripted-user/sentences.ts';
import { isQuestion, mayAskForConsent } from '../scripted-user/read-message.ts';
import {
  findNewNumber,
  isUntimely,
  readNumbers,
  waitsForAnswer,
  type KnownSample,
  type KnownTalk,
} from './content-words.ts';
import { ASK, END, LONELY, mayBeYes, type Move, type TurnToChoose } from './menu.ts';

export const MOST_MOVES = 3;

export type MoveChoice = KnownTalk &
  Pick<TurnToChoose, 'menu' | 'said' | 'hasActed' | 'isDone'> & { moves: readonly ChosenMove[] };

/** Returns the first fault of a choice as a sentence for the one that chose; undefined for a good one. */
export function findChoiceFault({ menu, moves, said, hasActed, isDone, ...talk }: MoveChoice): string | undefined {
  const { sample } = talk;
  const byId = new Map(menu.map((move) => [move.id, move]));
  const chosen = moves.flatMap(({ move }) => byId.get(move) ?? []);
  if (moves.length === 0 || moves.length > MOST_MOVES) return `Choose one to ${MOST_MOVES} moves.`;
  const other = moves.find(({ move }) => !byId.has(move));
  if (other !== undefined) return `"${other.move}" is not on the list.`;
  if (new Set(moves.map(({ move }) => move)).size < moves.length) return 'Choose each move once.';
  const alone = chosen.find(({ kind }) => LONELY.some((one) => one === kind));
  if (alone !== undefined && moves.length > 1) return `"${alone.id}" stands alone.`;
  const owes = alone?.id === END.id && !isDone && waitsForAnswer(said, hasActed, sample.user);
  if (alone !== undefined) return owes ? 'The agent waits for an answer.' : undefined;
  const answers = chosen.filter(isYesOrNoMove);
  if (answers.length > 1) return 'Answer one question for consent at a time.';
  for (const { move, quote } of moves) {
    if (move === ASK.id) continue;
    const sentences = findQuoted(quote, said);
    if (sentences.length === 0) return `The agent did not say "${quote}".`;
    const one = byId.get(move);
    const isAnswer = one !== undefined && answers.includes(one);
    if (isAnswer && !sentences.some(mayAskForConsent)) return `"${quote}" asks for no yes or no.`;
    const isTold = move.startsWith('tell:') && !isQuestion(sample.user.knows[move.slice(5)] ?? '');
    if (isTold && isUntimely(move.slice(5), said)) return `"${quote}" asks for nothing.`;
    const heard = one?.kind === 'again' ? said : sentences.join(' ');
    const isPaid = one !== undefined && mayBeYes(one, sample.user) && listAmounts(heard).length > 0;
    const asked = isAnswer ? `${findPriceBefore(sentences, said)} ${heard}` : heard;
    const number = isPaid || (isAnswer && isYes(one, sample)) ? findNewNumber(asked, talk) : undefined;
    if (number !== undefined) return `The move "${move}" does not agree to ${number}.`;
  }
  return undefined;
}

/** True where the words may agree: they are not a no in a language that is read. */
export function isYes({ id, kind }: Move, { user }: KnownSample): boolean {
  return kind !== 'refuse' && !saysNo(user.knows[id.slice(id.indexOf(':') + 1)] ?? '');
}

/** True for a move whose words may be taken for consent. */
export function isYesOrNoMove({ kind, means }: Move): boolean {
  if (kind === 'decide' || kind === 'agree' || kind === 'refuse' || kind === 'again') return true;
  return kind === 'tell' && saysYes(means.slice(means.lastIndexOf(': ') + 2));
}

/** A bare question ("Do you agree?") asks about the last amount before it. */
function findPriceBefore(sentences: readonly string[], said: string): string {
  if (readNumbers(sentences.join(' ')).size > 0) return '';
  const whole = splitSentences(said);
  const before = whole.slice(0, whole.indexOf(sentences[0] ?? ''));
  return before.findLast((sentence) => listAmounts(sentence).length > 0) ?? '';
}

/** Returns the sentences of the message that the quote touches. */
function findQuoted(quote: string, said: string): string[] {
  const wanted = foldText(quote);
  if (wanted === '' || !foldText(said).includes(wanted)) return [];
  const parts = splitSentences(said).filter((sentence) => {
    const own = foldText(sentence);
    return own.includes(wanted) || wanted.includes(own);
  });
  return parts.length === 0 ? [said] : parts;
}
