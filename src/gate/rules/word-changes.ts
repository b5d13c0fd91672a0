/** Compares two texts word by word, so that a reviewer need not read two paragraphs. */
import { splitWords } from '../../scenario/language/split-text.ts';

export type WordChange = { kind: 'same' | 'removed' | 'added'; text: string };

/** Beyond this many comparisons both texts are returned whole, because a word diff would be slow and unreadable. */
const MOST_CELLS = 400_000;

/** Joining the `same` and `added` parts gives the new text, joining `same` and `removed` gives the old one. */
export function wordChanges(before: string, after: string): WordChange[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const middle = diffWords(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return joinChanges([
    ...now.slice(0, head).map(toUnchanged),
    ...middle,
    ...now.slice(now.length - tail).map(toUnchanged),
  ]);
}

const toUnchanged = (text: string): WordChange => ({ kind: 'same', text });

function diffWords(old: readonly string[], now: readonly string[]): WordChange[] {
  const removed = (text: string): WordChange => ({ kind: 'removed', text });
  const added = (text: string): WordChange => ({ kind: 'added', text });
  if (old.length * now.length > MOST_CELLS) return [...old.map(removed), ...now.map(added)];
  const lengths = commonLengths(old, now);
  const at = (i: number, j: number) => lengths[i * (now.length + 1) + j] ?? 0;
  const changes: WordChange[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [one, other] = [old[i], now[j]];
    if (one !== undefined && one === other) {
      changes.push(toUnchanged(one));
      [i, j] = [i + 1, j + 1];
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      changes.push(removed(one));
      i += 1;
    } else {
      changes.push(added(other ?? ''));
      j += 1;
    }
  }
  return changes;
}

/** Computes at `[i][j]` the length of the longest common subsequence of words of the two tails. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [below, right] = [lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0];
      const diagonal = lengths[(i + 1) * width + j + 1] ?? 0;
      lengths[i * width + j] = old[i] === now[j] ? diagonal + 1 : Math.max(below, right);
    }
  }
  return lengths;
}

function joinChanges(changes: readonly WordChange[]): WordChange[] {
  const runs: WordChange[] = [];
  for (const change of changes) {
    const last = runs.at(-1);
    if (last?.kind === change.kind) runs[runs.length - 1] = { kind: last.kind, text: last.text + change.text };
    else runs.push(change);
  }
  return runs;
}
