import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipText, htmlText, terminalLines, terminalText, xmlText } from '../../../src/report/text/sanitise.ts';
import { HOSTILE, hostileText } from '../hostile.ts';

const CONTROL = /\p{Cc}/u;
const BIDI = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

describe('terminalText', () => {
  it.each(HOSTILE)('leaves no control, bidi or invisible character in %j', (text) => {
    expect(terminalText(text)).not.toMatch(CONTROL);
    expect(terminalText(text)).not.toMatch(BIDI);
    expect(terminalText(text).isWellFormed()).toBe(true);
  });

  it('shows an escape sequence as text instead of acting on it or hiding it', () => {
    expect(terminalText('\u001b[2Jgone\u009b31m')).toBe('␛[2Jgone�31m');
  });

  it('shows that a bidi override was there', () => {
    expect(terminalText('invoice\u202egnp.exe')).toBe('invoice�gnp.exe');
  });

  it('drops what terminals disagree about: joiners, variation selectors, soft hyphens, piled marks', () => {
    expect(terminalText('👨\u200d👩 ❤\ufe0f co\u00adop z' + '\u0301'.repeat(40))).toBe(
      '👨👩 ❤ coop z' + '\u0301'.repeat(4),
    );
  });

  it('makes one line of many and many of many', () => {
    expect(terminalText('one\r\ntwo\n\n\tthree')).toBe('one two three');
    expect(terminalLines('one\r\n\ttwo\rthree')).toEqual(['one', '  two␍three']);
  });

  it('holds for any text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = terminalText(text);
        return line.isWellFormed() && !CONTROL.test(line) && !BIDI.test(line);
      }),
    );
  });
});

describe('htmlText', () => {
  it.each(HOSTILE)('cannot open a tag, leave an attribute or start an entity from %j', (text) => {
    const safe = htmlText(text);
    expect(safe).not.toMatch(/[<>"'`]/);
    expect(safe.replace(/&(amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&');
    expect(safe).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect(safe).not.toMatch(BIDI);
  });

  it('leaves what joins emoji and scripts alone', () => {
    expect(htmlText('👨‍👩‍👧 می‌خواهم ❤️')).toBe('👨‍👩‍👧 می‌خواهم ❤️');
  });

  it('gives the text back when a browser reads it', () => {
    expect(htmlText(`a<b & "c" 'd' \`e\``)).toBe('a&lt;b &amp; &quot;c&quot; &#39;d&#39; &#96;e&#96;');
  });
});

describe('xmlText', () => {
  it.each(HOSTILE)('holds only characters that XML 1.0 allows, from %j', (text) => {
    const legal = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
    expect(xmlText(text)).toMatch(legal);
    expect(xmlText(text)).not.toMatch(/[<>"]/);
  });

  it('drops what is illegal instead of replacing it', () => {
    expect(xmlText('a\u0000b\u001bc\uffffd')).toBe('abcd');
  });
});

describe('clip', () => {
  it('tells the size of what was cut (S3.9)', () => {
    expect(clipText('abcdef', 3)).toBe('abc … (6 characters)');
    expect(clipText('abc', 3)).toBe('abc');
  });

  it('never cuts a pair in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, limit) => clipText(text, limit).isWellFormed()),
    );
  });
});
