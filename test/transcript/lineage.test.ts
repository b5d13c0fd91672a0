/** What the model is shown follows parents, not the order of the file (S4.1). */
import { expect, test } from 'vitest';
import { type Entry, listLineage } from '../../src/transcript/entry.ts';
import { createUserMessage } from '../../src/transcript/message.ts';

function entry(id: string, parents: string[], lane = 'main'): Entry {
  return { version: 1, id, parents, lane, type: 'message', origin: 'human', message: createUserMessage(id) };
}
const ids = (entries: readonly Entry[], lane = 'main') => listLineage(entries, lane).map(({ id }) => id);

test('the entries of a lane in the order of their making, whatever the order of the file (S4.1)', () => {
  const line = [entry('e1', []), entry('e2', ['e1']), entry('e9', ['e2']), entry('e10', ['e9'])];
  expect(ids(line)).toEqual(['e1', 'e2', 'e9', 'e10']);
  expect(ids(line.toReversed())).toEqual(['e1', 'e2', 'e9', 'e10']);
  expect(ids([], 'main')).toEqual([]);
});

test('a branch that the newest entry does not come from is not shown (S4.1)', () => {
  const branched = [
    entry('e1', []),
    entry('e2', ['e1']),
    entry('e3', ['e2']),
    entry('e4', ['e1']),
    entry('e5', ['e4']),
  ];
  expect(ids(branched)).toEqual(['e1', 'e4', 'e5']);
});

test('other lanes lead back to this one, and are none of it (S4.1)', () => {
  const lanes = [entry('e1', []), entry('e2', ['e1'], 'sub'), entry('e3', ['e2'], 'sub'), entry('e4', ['e3'])];
  expect(ids(lanes)).toEqual(['e1', 'e4']);
  expect(ids(lanes, 'sub')).toEqual(['e2', 'e3']);
});
