/** Says chosen moves in the sample's own words; what the sample does not phrase is said in the language of the talk, if it is known. */
import { endsSentence } from '../../scenario/language/split-text.ts';
import { findLanguage, type Language } from '../scripted-user/languages.ts';
import { endSentence, formatDontKnow, formatFact, formatYesOrNo } from '../scripted-user/sentences.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { listUntold, type Move, type TurnToChoose } from './menu.ts';

type Speaker = Pick<TurnToChoose, 'menu' | 'sample' | 'said' | 'state'>;

/** Once the user has asked back, names say what it tells. */
export function speakMoves(moves: readonly ChosenMove[], speaker: Speaker): string {
  const { menu, state } = speaker;
  const chosen = moves.flatMap(({ move, quote }) =>
    menu.filter(({ id }) => id === move).map((one) => ({ one, quote })),
  );
  const isAlone = chosen.length === 1 && !state.said.has('ask');
  const said = new Set([...state.said, ...moves.map(({ move }) => move)]);
  const names = listUntold(speaker.sample.user, { said });
  return [...new Set(chosen.map(({ one, quote }) => speakMove(one, { quote, isAlone, names }, speaker)))].join(' ');
}

/** The names that the subject may use to ask again are the sample's own. */
function askBack(names: readonly string[], language: Language | undefined): string {
  if (names.length === 0) return language?.unclear ?? '?';
  const { unclearOf, comma, mark } = language ?? { unclearOf: '', comma: '? ', mark: '?' };
  return `${unclearOf}${names.join(comma)}${mark}`;
}

function speakMove(
  { kind, id }: Move,
  { quote, isAlone, names }: { quote: string; isAlone: boolean; names: readonly string[] },
  { sample: { user }, said }: Speaker,
): string {
  const language = findLanguage(said) ?? findLanguage(user.says_first);
  const key = id.slice(id.indexOf(':') + 1);
  const value = user.knows[key] ?? '';
  switch (kind) {
    case 'tell':
      if (language === undefined) return endsSentence(value) || isAlone ? endSentence(value) : `${key}: ${value}.`;
      return formatFact(key, value, { isAlone: isAlone && !/,| and /i.test(quote), question: said });
    case 'decide':
      // A bare word is said as the sample has it where no sentence of the language is known.
      return language === undefined ? endSentence(value) : formatYesOrNo(value, said);
    case 'unknown':
      if (language === undefined || endsSentence(key)) return endsSentence(key) ? key : `${key}: ?`;
      return formatDontKnow(key, said);
    case 'agree':
      return language?.agreements[0] ?? 'OK.';
    case 'refuse':
      return language?.no ?? 'No.';
    case 'again':
      return endSentence(user.says_first);
    case 'all':
      return language?.all ?? '…';
    case 'ask':
      return askBack(names, language);
    default:
      return language?.waits ?? '…';
  }
}
