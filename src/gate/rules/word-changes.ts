/** Compares two texts word by word, so that a reviewer need not read two paragraphs. */
import { diffArrays } from 'diff';
import { splitWords } from '../../scenario/language/split-text.ts';

export type WordChange = { kind: 'same' | 'removed' | 'added'; text: string };

/** Beyond this many changed words both texts are returned whole, because a word diff would be slow and unreadable. */
const MOST_CHANGED = 1000;

/** Joining the `same` and `added` parts gives the new text, joining `same` and `removed` gives the old one. */
export function wordChanges(before: string, after: string): WordChange[] {
  const changes = diffArrays(splitWords(before), splitWords(after), { maxEditLength: MOST_CHANGED });
  if (changes === undefined)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }));
}
