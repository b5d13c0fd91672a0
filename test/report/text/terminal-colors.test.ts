import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPaint, formatJustifiedRow, formatRow, type Span } from '../../../src/report/text/terminal-colors.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { hostileText } from '../hostile.ts';

const plain = createPaint(false);

describe('row and justified', () => {
  it('end with one ellipsis when the spans do not fit', () => {
    expect(formatRow(['abc', ['bad', 'defg'], 'hi'], 6, plain)).toBe('abcde…');
    expect(formatRow(['abc', ['bad', 'def']], 6, plain)).toBe('abcdef');
    expect(formatRow(['abc', ['bad', 'def'], 'g'], 3, plain)).toBe('ab…');
  });

  it('colour a span and close it again', () => {
    expect(formatRow(['a', ['bad', 'b']], 9, createPaint(true))).toBe('a\u001b[31mb\u001b[0m');
  });

  it('drop the right part when there is no room for both', () => {
    expect(formatJustifiedRow({ left: ['left'], right: ['right'] }, 14, plain)).toBe('left     right');
    expect(formatJustifiedRow({ left: ['left'], right: ['right'] }, 10, plain)).toBe('left');
  });

  it('are never wider than the screen, whatever the spans hold', () => {
    const span = fc.oneof(
      hostileText,
      fc.tuple(fc.constantFrom('bad', 'loud', 'dim'), hostileText),
    ) as fc.Arbitrary<Span>;
    fc.assert(
      fc.property(fc.array(span, { maxLength: 5 }), fc.integer({ min: 1, max: 60 }), (spans, columns) => {
        expect(displayWidth(formatRow(spans, columns, plain))).toBeLessThanOrEqual(columns);
        expect(displayWidth(formatJustifiedRow({ left: spans, right: ['right'] }, columns, plain))).toBeLessThanOrEqual(
          columns,
        );
      }),
    );
  });
});
