/** What a person may type instead of a message, and what `/current` answers (S3.8). */
import { describe, expect, test } from 'vitest';
import { currentLines, helpLines, readTypedLine } from '../../../src/cli/chat/slash-commands.ts';
import { sessionState } from '../../support/sessions.ts';

describe('a typed line', () => {
  test.each([
    ['/current', { type: 'word', word: 'current' }],
    ['  /CLEAN ', { type: 'word', word: 'clean' }],
    ['why R4?', { type: 'say', text: 'why R4?' }],
    ['//etc is a folder', { type: 'say', text: '/etc is a folder' }],
    ['', { type: 'say', text: '' }],
  ])('%j is read as %j', (line, read) => {
    expect(readTypedLine(line)).toEqual(read);
  });

  test.each(['/clear', '/clean now', '/', '/constructor', '/__proto__', `/${'x'.repeat(1_000_000)}`])(
    'a slip is told and never sent: %.20j',
    (line) => {
      const read = readTypedLine(line);
      expect(read).toMatchObject({ type: 'unknown', hint: expect.stringContaining('/current, /clean') });
      expect(JSON.stringify(read).length).toBeLessThan(300);
    },
  );

  test('/help names every word', () => {
    expect(helpLines().map((line) => line.split(' ')[0])).toEqual(['/current', '/clean', '/help', '/quit']);
  });
});

test('/current tells a session in a few lines, and nothing that drives a terminal (S3.8)', () => {
  const lines = currentLines(
    sessionState({
      todos: [
        { text: 'a', status: 'done' },
        { text: 'b', status: 'pending' },
      ],
      workspace: 'design/\u001b[2Jr1',
    }),
  );
  expect(lines.length).toBeLessThanOrEqual(6);
  expect(lines.join('\n')).toMatch(
    /run-1\/init  gated[\s\S]*36 messages, 17 shown[\s\S]*1 of 2 todos open[\s\S]*workspace design/,
  );
  expect(lines.join('\n')).not.toContain('\u001b');
});
