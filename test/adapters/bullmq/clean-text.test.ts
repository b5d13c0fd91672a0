import { expect, test } from 'vitest';
import { cleanText, toStorableError } from '../../../src/adapters/bullmq/clean-text.ts';

test('what PostgreSQL cannot store is replaced', () => {
  expect(cleanText('a\0b')).toBe('a\u2400b');
  expect(cleanText('half \uD83D of a pair')).toBe('half \uFFFD of a pair');
  expect(cleanText('whole 😀')).toBe('whole 😀');
});

test('a long text is cut under 2 KB, and not through a pair', () => {
  const cut = cleanText('😀'.repeat(5_000));
  expect(cut.length).toBeLessThan(2_000);
  expect(cut.isWellFormed()).toBe(true);
});

test('an empty text says so, and a stack with paths of this machine is not kept', () => {
  expect(cleanText('')).not.toBe('');
  expect(toStorableError(new Error('no')).stack).toBe('no');
  expect(toStorableError('thrown text').message).toBe('thrown text');
});
