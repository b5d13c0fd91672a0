/** One text against another, word by word. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordChanges } from '../../../src/gate/rules/word-changes.ts';
import { threadCpu } from '../../support/thread-cpu.ts';

const shown = (before: string, after: string): string =>
  wordChanges(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'added' ? '+' : '-'}[${text.trim()}] `))
    .join('');

test('shows the words that went and came, and nothing else as changed', () => {
  expect(shown('within 30 days of sale', 'within 30 days of delivery')).toBe('within 30 days of -[sale] +[delivery] ');
  expect(shown('refund to the card', 'refund to the card')).toBe('refund to the card');
  expect(shown('', 'all new')).toBe('+[all new] ');
  expect(shown('all gone', '')).toBe('-[all gone] ');
  expect(shown('a b c', 'c b a')).toMatch(/-\[.*\+\[/);
  expect(shown('pay the old card now', 'refund the new card later')).toBe(
    '-[pay] +[refund] the -[old] +[new] card -[now] +[later] ',
  );
});

test('joins back to both texts, whatever they are', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'é', '\t', 'c '), maxLength: 60 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = wordChanges(before, after);
      const joined = (left: string) =>
        changes
          .filter(({ kind }) => kind !== left)
          .map((one) => one.text)
          .join('');
      expect(joined('removed')).toBe(after);
      expect(joined('added').replaceAll(/\s+/g, ' ')).toBe(before.replaceAll(/\s+/g, ' '));
    }),
  );
});

test('two texts that are too long to compare are told whole, at once', () => {
  const long = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word}${index}`).join(' ');
  const cpu = threadCpu();
  const changes = wordChanges(`same ${long('a')} end`, `same ${long('b')} end`);
  expect(cpu()).toBeLessThan(200);
  expect(changes.map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

test('a changed word of a text without spaces is shown alone', () => {
  expect(shown('客户可以在三十天内申请退款', '客户可以在六十天内申请退款')).not.toMatch(/[-+]\[[^\]]{5,}\]/);
});
