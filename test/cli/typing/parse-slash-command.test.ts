/** What a person may type instead of a message (S3.8). */
import { expect, test } from 'vitest';
import { parseTypedLine, formatWordList } from '../../../src/cli/typing/parse-slash-command.ts';

const WORDS = { current: 'what it has come to', model: 'the model, or another one' };
const read = (line: string) => parseTypedLine(line, WORDS, ['greet']);

test.each([
  ['/current', { type: 'word', word: 'current', rest: '' }],
  ['  /MODEL  x ', { type: 'word', word: 'model', rest: 'x' }],
  ['/greet ada\nand grace', { type: 'own', name: 'greet', rest: 'ada\nand grace' }],
  ['why R4?', { type: 'say', text: 'why R4?' }],
  ['/etc/hosts is a file', { type: 'say', text: '/etc/hosts is a file' }],
  ['//etc is a folder', { type: 'say', text: '/etc is a folder' }],
  ['', { type: 'say', text: '' }],
])('%j is read as %j', (line, meant) => {
  expect(read(line)).toEqual(meant);
});

test.each(['/clear', '/curent now', '/', '/constructor', '/__proto__', `/${'x'.repeat(1_000_000)}`])(
  'a slip is told and never sent: %.20j',
  (line) => {
    const slip = read(line);
    expect(slip).toMatchObject({ type: 'unknown', hint: expect.stringContaining('/current, /model, /greet') });
    expect(JSON.stringify(slip).length).toBeLessThan(300);
  },
);

test('/help names every word', () => {
  expect(formatWordList(WORDS)).toEqual(['/current  what it has come to', '/model    the model, or another one']);
});
