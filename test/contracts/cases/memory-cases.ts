/** The rules of every memory: it finds texts by any of their words, and forgets (S3.12). */
import assert from 'node:assert/strict';
import { isHarnessError } from '../../../src/errors.ts';
import type { Memory, MemoryItem } from '../../../src/ports/memory.ts';
import { createCases, type Checks, type ContractCase, checksFor } from './contract-case.ts';

export function createMemoryItem(entry: string, text: string, more: Partial<MemoryItem> = {}): MemoryItem {
  const where = { run: 'run-1', agent: 'init', lane: 'main', outcome: 'succeeded' };
  return { ...where, entry, level: 'session', text, ...more };
}

const REMEMBERED = [
  createMemoryItem('e1', 'Refunds above 200 euros need a second signature.'),
  createMemoryItem('e2', 'A gift card is never paid out in cash.', { agent: 'execute' }),
  createMemoryItem('e3', '退款必须退回到原来的礼品卡，不能退现金。', { run: 'run-2', level: 'conversation' }),
  createMemoryItem('e4', 'Rückgabe nach 30 Tagen: naïve Kunden, café.', {
    run: 'run-2',
    level: 'task',
    lane: 'subagent-0a0b0c0d',
  }),
  createMemoryItem('e5', 'lookup_order failed with E_TIMEOUT on order #A-1042', {
    run: 'run-2',
    level: 'conversation',
  }),
  createMemoryItem('e6', 'card card card card', { run: 'run-3' }),
  createMemoryItem('e7', 'ครั้งต่อไปคืนเงินภายในเจ็ดวัน', { run: 'run-3' }),
];

/** Texts that have crashed other full-text indexes: operators, quotes, signs, sizes. */
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

const FOUND = [
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
] as const;

async function searchEntries(memory: Memory, text: string, limit = 10): Promise<string[]> {
  return (await memory.search({ text, limit })).map(({ entry }) => entry);
}

const CHECKS: Checks<Memory> = {
  ...checksFor(FOUND, ([text, entry]) => [
    `${text} finds ${entry} first`,
    async (memory: Memory) => {
      await memory.remember(REMEMBERED);
      assert.equal((await searchEntries(memory, text))[0], entry);
    },
  ]),
  'what holds every word comes before what holds one of them many times': async (memory) => {
    await memory.remember(REMEMBERED);
    assert.deepEqual(await searchEntries(memory, 'gift card'), ['e2', 'e6']);
    const long = (word: string) => `${word} ${Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ')}`;
    await memory.remember([createMemoryItem('e8', long('rare common')), createMemoryItem('e9', 'rare')]);
    await memory.remember(Array.from({ length: 30 }, (_, n) => createMemoryItem(`e${n + 10}`, long('common'))));
    assert.deepEqual((await searchEntries(memory, 'common rare')).slice(0, 2), ['e8', 'e9']);
  },
  ...checksFor(['现卡', 'signatures2', 'zzz'], (text) => [
    `${text} was never said`,
    async (memory: Memory) => {
      await memory.remember(REMEMBERED);
      assert.deepEqual(await searchEntries(memory, text), []);
    },
  ]),
  'an answer is the item as it was told, with one line around what was found': async (memory) => {
    await memory.remember(REMEMBERED);
    const [first] = await memory.search({ text: 'cash', limit: 1 });
    assert.deepEqual(first, { ...REMEMBERED[1], snippet: 'A gift card is never paid out in cash.' });
    const long = createMemoryItem('e8', `${'before\n'.repeat(60)}needle${' after'.repeat(100)}`);
    await memory.remember([long]);
    const snippet = (await memory.search({ text: 'needle', limit: 1 }))[0]?.snippet ?? '';
    assert.match(snippet, /^….*before needle after.*…$/);
    assert.ok(snippet.length < 260);
  },
  'levels are kept apart, and the limit holds': async (memory) => {
    await memory.remember(REMEMBERED);
    const levels = async (level: MemoryItem['level']) =>
      (await memory.search({ text: 'card 退款 cafe', limit: 10, level })).map(({ entry }) => entry).toSorted();
    assert.deepEqual(await levels('session'), ['e2', 'e6']);
    assert.deepEqual(await levels('conversation'), ['e3']);
    assert.deepEqual(await levels('task'), ['e4']);
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      assert.equal(
        (await memory.search({ text: 'card', limit })).length,
        limit < 1 ? 0 : Math.min(2, limit === 1.5 ? 1 : 2),
      );
  },
  'an item that is told again is replaced; a run is forgotten whole, and only that one': async (memory) => {
    await memory.remember(REMEMBERED);
    await memory.remember([createMemoryItem('e1', 'Nothing needs a signet.')]);
    assert.deepEqual(await searchEntries(memory, 'signature'), []);
    assert.deepEqual(await searchEntries(memory, 'signet'), ['e1']);
    assert.deepEqual(await memory.runs(), ['run-1', 'run-2', 'run-3']);
    assert.equal(await memory.forget('run-2'), 3);
    assert.equal(await memory.forget('run-2'), 0);
    assert.deepEqual(await searchEntries(memory, '退款'), []);
    assert.deepEqual(await memory.runs(), ['run-1', 'run-3']);
    assert.deepEqual(await searchEntries(memory, 'gift card'), ['e2', 'e6']);
  },
  'no query throws anything but our own error': async (memory) => {
    await memory.remember(REMEMBERED);
    for (const text of HOSTILE) {
      const answer = await memory.search({ text, limit: 3 }).catch((error: unknown) => {
        if (!isHarnessError(error)) throw error;
        return [];
      });
      assert.ok(answer.length <= 3);
    }
    assert.deepEqual(await searchEntries(memory, 'signature'), ['e1']);
  },
  'no text that is told does harm, and what can be found of it is found': async (memory) => {
    await memory.remember(HOSTILE.map((text, n) => createMemoryItem(`e${n + 1}`, `${text} marker`)));
    await memory.remember([createMemoryItem('e900', `a\0needle \u{d800}`), createMemoryItem('e901', '')]);
    assert.deepEqual(await searchEntries(memory, 'needle'), ['e900']);
    assert.ok((await searchEntries(memory, 'marker', 100)).length > 40);
  },
  'nothing told is nothing known': async (memory) => {
    await memory.remember([]);
    assert.deepEqual(await searchEntries(memory, 'card'), []);
    assert.deepEqual(await memory.runs(), []);
  },
};

export function memoryCases(open: () => Promise<Memory>): ContractCase[] {
  return createCases(CHECKS, open, (memory) => memory.close());
}
