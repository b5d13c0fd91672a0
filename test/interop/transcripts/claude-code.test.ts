/** Files that hold more than the conversation: what was taken back, written twice, or said by no model. */
import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/interop/transcripts/import.ts';
import { getText } from '../../../src/transcript/message.ts';

type Line = { at: string; from?: string | null; [field: string]: unknown };
const claude = ({ at, from, ...more }: Line) => ({ sessionId: 's', uuid: at, parentUuid: from ?? null, ...more });
const person = (at: string, from: string | null, content: unknown) =>
  claude({ at, from, type: 'user', message: { role: 'user', content } });
const model = (at: string, from: string, content: unknown, more: object = {}) =>
  claude({ at, from, type: 'assistant', message: { id: `msg_${at}`, role: 'assistant', content }, ...more });
const text = (said: string) => [{ type: 'text', text: said }];
const read = (...lines: object[]) => {
  const { entries, notes } = importTranscript(lines.map((line) => JSON.stringify(line)).join('\n'), 'x');
  return { said: entries.map(({ message }) => getText(message)), entries, notes: notes.map((note) => note.text) };
};

test('a branch that was taken back is left out, whatever stands after it in the file', () => {
  const lines = [
    person('a', null, 'one'),
    model('b', 'a', text('first')),
    person('c', 'b', 'wrong way'),
    model('d', 'c', text('going wrong')),
    person('e', 'b', 'right way'),
    model('f', 'e', text('going right')),
    { type: 'summary', summary: 'A title', leafUuid: 'd' },
  ];
  expect(read(...lines)).toMatchObject({
    said: ['one', 'first', 'right way', 'going right'],
    notes: ['2 lines of branches that were taken back: left out'],
  });
});

test('the first message that was taken back', () => {
  const lines = [
    person('a', null, 'one'),
    model('b', 'a', text('x')),
    person('c', null, 'two'),
    model('d', 'c', text('y')),
  ];
  expect(read(...lines).said).toEqual(['two', 'y']);
});

test('results of parallel calls hang beside each other, and all of them stay', () => {
  const call = (id: string) => [{ type: 'tool_use', id, name: 'Read', input: {} }];
  const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: id }];
  const piece = (at: string, from: string, id: string) => ({
    ...model(at, from, call(id)),
    message: { id: 'msg_1', role: 'assistant', content: call(id) },
  });
  for (const last of ['r1', 'r2', 'r3']) {
    const { entries, notes } = read(
      ...[person('a', null, 'go'), piece('p1', 'a', 't1'), piece('p2', 'p1', 't2'), piece('p3', 'p2', 't3')],
      ...[person('r1', 'p1', result('t1')), person('r2', 'p2', result('t2')), person('r3', 'p3', result('t3'))],
      model('z', last, text('done')),
    );
    expect(entries.map(({ message }) => message.content.length)).toEqual([1, 3, 3, 1]);
    expect(notes).toEqual([]);
  }
});

test('a compaction and a parent that is in another file break nothing', () => {
  const boundary = { type: 'system', subtype: 'compact_boundary', sessionId: 's', uuid: 'k', parentUuid: null };
  const lines = [
    person('a', 'elsewhere', 'one'),
    model('b', 'a', text('x')),
    boundary,
    { ...person('c', 'k', 'continued'), isCompactSummary: true },
    person('d', 'c', 'two'),
  ];
  expect(read(...lines)).toMatchObject({ said: ['one', 'x', 'two'], notes: [] });
  expect(read(...lines.with(2, { ...boundary, logicalParentUuid: 'b' } as never))).toMatchObject({
    said: ['one', 'x', 'two'],
  });
});

test('lines that were written twice are said once', () => {
  const lines = [
    person('a', null, 'one'),
    model('b', 'a', text('x')),
    person('c', 'b', 'two'),
    model('d', 'c', text('y')),
  ];
  expect(read(...lines, ...lines.slice(1, 3), model('e', 'd', text('z')))).toMatchObject({
    said: ['one', 'x', 'two', 'y', 'z'],
    notes: ['2 lines that were written twice: left out'],
  });
});

test('an error of the API is no answer', () => {
  const error = { isApiErrorMessage: true };
  const lines = [
    person('a', null, 'one'),
    model('b', 'a', text('API Error: 529 overloaded'), error),
    person('c', 'b', 'again'),
    model('d', 'c', text('x')),
    claude({
      ...{ at: 'e', from: 'd', type: 'assistant' },
      message: { id: 'e', role: 'assistant', model: '<synthetic>', content: text('No response requested.') },
    }),
  ];
  expect(read(...lines)).toMatchObject({ said: ['one', 'again', 'x'], notes: ['2 errors of the API: left out'] });
});

test('a file of a sub-agent alone is its conversation; beside another it is left out', () => {
  const aside = { isSidechain: true, agentId: 'a1' };
  const lines = [{ ...person('a', null, 'find it'), ...aside }, model('b', 'a', text('found'), aside)];
  expect(read({ type: 'file-history-snapshot', messageId: 'm' }, ...lines)).toMatchObject({
    said: ['find it', 'found'],
    notes: [],
  });
  expect(read(person('z', null, 'go'), ...lines)).toMatchObject({
    said: ['go'],
    notes: ['2 lines of sub-agents: left out'],
  });
});
