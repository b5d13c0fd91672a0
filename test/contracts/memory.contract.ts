/** What every memory must do: find what was said by its words, whatever they are, and forget (S3.12). */
import { describe, expect, test } from 'vitest';
import { isHarnessError } from '../../src/errors.ts';
import type { Memory, MemoryItem } from '../../src/ports/memory.ts';

export function item(entry: string, text: string, more: Partial<MemoryItem> = {}): MemoryItem {
  const where = { run: 'run-1', agent: 'init', lane: 'main', outcome: 'succeeded' };
  return { ...where, entry, level: 'session', text, ...more };
}

const SAID = [
  item('e1', 'Refunds above 200 euros need a second signature.'),
  item('e2', 'A gift card is never paid out in cash.', { agent: 'execute' }),
  item('e3', '退款必须退回到原来的礼品卡，不能退现金。', { run: 'run-2', level: 'conversation' }),
  item('e4', 'Rückgabe nach 30 Tagen: naïve Kunden, café.', { run: 'run-2', level: 'task', lane: 'subagent-0a0b0c0d' }),
  item('e5', 'lookup_order failed with E_TIMEOUT on order #A-1042', { run: 'run-2', level: 'conversation' }),
  item('e6', 'card card card card', { run: 'run-3' }),
  item('e7', 'ครั้งต่อไปคืนเงินภายในเจ็ดวัน', { run: 'run-3' }),
];

/** What has ended other full-text indexes: operators, quotes, signs, sizes. */
const HOSTILE = [
  '"',
  "'",
  '""""',
  '*',
  'a*',
  '^',
  'NEAR(a b)',
  'a NEAR b',
  'AND',
  'OR',
  'NOT',
  'a AND',
  'NOT a',
  '(',
  ')',
  '((((',
  'terms:a',
  'a:b',
  '-a',
  '+a',
  '{a b}:c',
  '\\',
  '%',
  '_',
  ';',
  "'; DROP TABLE items; --",
  '\0',
  'a\0b',
  '\u{d800}',
  '\u{dc00}x',
  '\uffff',
  '\u202e',
  '💥',
  '👨‍👩‍👧‍👦',
  '\n\t ',
  '',
  ' ',
  '?',
  '??',
  '$1',
  ':a',
  '@a',
  '#',
  '--',
  '/*',
  '\u0301',
  '退',
  '"退款"',
  '退 款',
  'x'.repeat(1_000_000),
  'a '.repeat(500_000),
  '"'.repeat(1_000_000),
  '退'.repeat(300_000),
];

export function memoryContract(name: string, open: () => Promise<Memory>): void {
  const filled = async (): Promise<Memory> => {
    const memory = await open();
    await memory.remember(SAID);
    return memory;
  };
  const found = async (memory: Memory, text: string, limit = 10) =>
    (await memory.search({ text, limit })).map(({ entry }) => entry);

  describe(`memory contract: ${name} (S3.12)`, () => {
    test.each([
      ['signature', 'e1'],
      ['SECOND Signature', 'e1'],
      ['gift card', 'e2'],
      ['礼品卡', 'e3'],
      ['退款', 'e3'],
      ['现金 礼品', 'e3'],
      ['卡', 'e3'],
      ['原', 'e3'],
      ['ruckgabe', 'e4'],
      ['NAÏVE café', 'e4'],
      ['lookup_order', 'e5'],
      ['a-1042', 'e5'],
      ['คืนเงิน', 'e7'],
    ])('%s finds %s first', async (text, entry) => {
      const memory = await filled();
      expect((await found(memory, text))[0]).toBe(entry);
      await memory.close();
    });

    test('what holds every word comes before what holds one of them many times', async () => {
      const memory = await filled();
      expect(await found(memory, 'gift card')).toEqual(['e2', 'e6']);
      const long = (word: string) => `${word} ${Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ')}`;
      await memory.remember([item('e8', long('rare common')), item('e9', 'rare')]);
      await memory.remember(Array.from({ length: 30 }, (_, n) => item(`e${n + 10}`, long('common'))));
      expect((await found(memory, 'common rare')).slice(0, 2)).toEqual(['e8', 'e9']);
      await memory.close();
    });

    test.each(['现卡', 'signatures2', 'zzz'])('%s was never said', async (text) => {
      const memory = await filled();
      expect(await found(memory, text)).toEqual([]);
      await memory.close();
    });

    test('an answer is the item as it was told, with one line around what was found', async () => {
      const memory = await filled();
      const [first] = await memory.search({ text: 'cash', limit: 1 });
      expect(first).toEqual({ ...SAID[1], snippet: 'A gift card is never paid out in cash.' });
      const long = item('e8', `${'before\n'.repeat(60)}needle${' after'.repeat(100)}`);
      await memory.remember([long]);
      const snippet = (await memory.search({ text: 'needle', limit: 1 }))[0]?.snippet ?? '';
      expect(snippet).toMatch(/^….*before needle after.*…$/);
      expect(snippet.length).toBeLessThan(260);
      await memory.close();
    });

    test('levels are kept apart, and the limit holds', async () => {
      const memory = await filled();
      const levels = async (level: MemoryItem['level']) =>
        (await memory.search({ text: 'card 退款 cafe', limit: 10, level })).map(({ entry }) => entry).toSorted();
      expect(await levels('session')).toEqual(['e2', 'e6']);
      expect(await levels('conversation')).toEqual(['e3']);
      expect(await levels('task')).toEqual(['e4']);
      for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
        expect((await memory.search({ text: 'card', limit })).length).toBe(
          limit < 1 ? 0 : Math.min(2, limit === 1.5 ? 1 : 2),
        );
      await memory.close();
    });

    test('an item that is told again is replaced; a run is forgotten whole, and only that one', async () => {
      const memory = await filled();
      await memory.remember([item('e1', 'Nothing needs a signet.')]);
      expect(await found(memory, 'signature')).toEqual([]);
      expect(await found(memory, 'signet')).toEqual(['e1']);
      expect(await memory.runs()).toEqual(['run-1', 'run-2', 'run-3']);
      expect(await memory.forget('run-2')).toBe(3);
      expect(await memory.forget('run-2')).toBe(0);
      expect(await found(memory, '退款')).toEqual([]);
      expect(await memory.runs()).toEqual(['run-1', 'run-3']);
      expect(await found(memory, 'gift card')).toEqual(['e2', 'e6']);
      await memory.close();
    });

    test('no query throws anything but our own error', async () => {
      const memory = await filled();
      for (const text of HOSTILE) {
        const answer = await memory.search({ text, limit: 3 }).catch((error: unknown) => {
          if (!isHarnessError(error)) throw error;
          return [];
        });
        expect(answer.length).toBeLessThanOrEqual(3);
      }
      expect(await found(memory, 'signature')).toEqual(['e1']);
      await memory.close();
    });

    test('no text that is told does harm, and what can be found of it is found', async () => {
      const memory = await open();
      await memory.remember(HOSTILE.map((text, n) => item(`e${n + 1}`, `${text} marker`)));
      await memory.remember([item('e900', `a\0needle \u{d800}`), item('e901', '')]);
      expect(await found(memory, 'needle')).toEqual(['e900']);
      expect((await found(memory, 'marker', 100)).length).toBeGreaterThan(40);
      await memory.close();
    });

    test('nothing told is nothing known', async () => {
      const memory = await open();
      await memory.remember([]);
      expect(await found(memory, 'card')).toEqual([]);
      expect(await memory.runs()).toEqual([]);
      await memory.close();
    });
  });
}
