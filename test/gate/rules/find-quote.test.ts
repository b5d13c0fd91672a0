import { expect, test } from 'vitest';
import { findQuote } from '../../../src/gate/rules/find-quote.ts';

const SOURCES = [
  { path: 'brief.md', text: 'Money goes back.\n' },
  {
    path: 'policies/gift-cards.md',
    text: '# Gift cards\n\nMoney that came from a **gift card**\ngoes back to a gift card.\n',
  },
];
const find = (quote: string, named = 'policies/gift-cards.md, section 2') => findQuote(quote, named, SOURCES);

test('is found over line breaks and emphasis, with its line', () => {
  expect(find('Money that came from a gift card goes back')).toEqual({ file: 'policies/gift-cards.md', line: 3 });
});

test('is found in another source than the one that is named', () => {
  expect(find('Money goes back.', 'policies/gift-cards.md')).toEqual({ file: 'brief.md', line: 1 });
});

test('is found in the source that the rule names, when several have it', () => {
  const twice = [...SOURCES, { path: 'policies/copy.md', text: 'Money goes back.' }];
  expect(findQuote('Money goes back.', 'policies/copy.md', twice)).toEqual({ file: 'policies/copy.md', line: 1 });
  expect(findQuote('Money goes back.', '', twice)).toEqual({ file: 'brief.md', line: 1 });
});

test('is found over indented lines and the items of a list', () => {
  const list = [{ path: 'list.md', text: 'It must\n  - be unused\n  - be complete\n' }];
  expect(findQuote('must be unused - be complete', '', list)).toEqual({ file: 'list.md', line: 1 });
  expect(findQuote('be complete and new', '', list)).toBeUndefined();
});

test('is not found when a word differs, or when it says next to nothing', () => {
  expect(find('Money that came from a bank card goes back')).toBeUndefined();
  expect(find('gift card')).toBeUndefined();
  expect(find('')).toBeUndefined();
});

test('is found in text that was copied from a PDF: ligatures, soft hyphens, cut words, curly quotes, other spaces', () => {
  const text =
    '\uFEFFReturns\r\n\r\nGoods may be re\u00ADturned with\u00AD\r\nin thirty days. The o\uFB03ce\u00A0pays for the ship-\r\n  ping of “well-\r\nknown” goods \u2014 the customer\u2019s own are U\u0308bergro\u0308\u00DFe.\r\n';
  const inCopy = (quote: string) => findQuote(quote, '', [{ path: 'copy.md', text }])?.line;
  expect(inCopy('Goods may be returned within thirty days.')).toBe(3);
  expect(inCopy('The office pays for the shipping of "well-known" goods - the customer\'s own are Übergröße.')).toBe(4);
  expect(inCopy('of “wellknown” goods')).toBe(5);
  expect(inCopy('the ship ping of')).toBeUndefined();
});

test('a hyphen in the middle of a line is a part of its word', () => {
  const find = (quote: string) => findQuote(quote, '', [{ path: 'a.md', text: 'You may re-sign the contract.' }]);
  expect(find('You may re- sign the contract')).toBeUndefined();
  expect([find('may re-sign the contract.')?.line, find('may resign the contract.')]).toEqual([1, undefined]);
});

test('a quote may stop before its sentence does, with or without a full stop', () => {
  const policy = [
    { path: 'a.md', text: 'Without a number nothing is booked, and the writer is sent on (to accounts).' },
  ];
  const lines = [
    'Without a number nothing is booked',
    'Without a number nothing is booked.',
    'is sent on (to accounts',
  ];
  expect(lines.map((quote) => findQuote(quote, '', policy)?.line)).toEqual([1, 1, 1]);
  expect(findQuote('Without a number nothing is book', '', policy)).toBeUndefined();
  expect(findQuote('Without a number, nothing is booked', '', policy)).toBeUndefined();
});

test('Chinese and Japanese, which have no spaces, are compared character by character', () => {
  const text = '# 退货\n\n顾客在三十天内可以退货，礼品卡\n除外。\n\n返品は三十日以内に限ります。\n';
  const line = (quote: string) => findQuote(quote, '', [{ path: '政策.md', text }])?.line;
  expect(['顾客在三十天内可以退货。', '三十天内可以退货，礼品卡除外', '返品は三十日以内に限ります'].map(line)).toEqual([
    3, 3, 6,
  ]);
  expect(['三十天内不可退货', '三十天'].map(line)).toEqual([undefined, undefined]);
});
