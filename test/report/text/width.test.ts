import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terminalText } from '../../../src/report/text/sanitise.ts';
import {
  displayWidth,
  padEnd,
  splitByWidth,
  formatTable,
  truncateText,
  wrapText,
} from '../../../src/report/text/width.ts';
import { hostileText } from '../hostile.ts';

const clean = hostileText.map((text) => terminalText(text).slice(0, 200).toWellFormed());

describe('displayWidth', () => {
  it.each([
    ['abc', 3],
    ['中文', 4],
    ['ｆ', 2],
    ['한', 2],
    ['👍', 2],
    ['e\u0301', 1],
    ['█░▁', 3],
    ['é–…', 3],
    ['', 0],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe('truncate, padEnd, wrap, pieces', () => {
  it('cut between characters, never inside a wide one', () => {
    expect(truncateText('中文字', 4)).toBe('中…');
    expect(truncateText('中文字', 6)).toBe('中文字');
    expect(truncateText('abc', 0)).toBe('');
    expect(padEnd('中', 4)).toBe('中  ');
  });

  it('break between words and inside a word that is too long', () => {
    expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapText('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  });

  it('break between wide characters, and never before a closing mark or after an opening one', () => {
    expect(wrapText('- 予約番号と登録', 10)).toEqual(['- 予約番号', 'と登録']);
    expect(wrapText('予約を残す。断る', 10)).toEqual(['予約を残', 'す。断る']);
    expect(wrapText('規則（R1）は別', 6)).toEqual(['規則', '（R1）', 'は別']);
    expect(wrapText('K-102の予約', 8)).toEqual(['K-102の', '予約']);
  });

  it('keep every character and every limit', () => {
    fc.assert(
      fc.property(clean, fc.integer({ min: 2, max: 40 }), (text, columns) => {
        expect(splitByWidth(text, columns).join('')).toBe(text);
        expect(wrapText(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const line of [...splitByWidth(text, columns), ...wrapText(text, columns), truncateText(text, columns)]) {
          expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          expect(line.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

it('a table names its columns, and each is as wide as its widest cell', () => {
  expect(
    formatTable([
      ['RUN', 'AT', 'WHY'],
      ['中文', 'r1'],
      ['a', 'r10', 'x'],
    ]),
  ).toEqual(['RUN   AT   WHY', '中文  r1', 'a     r10  x']);
});
