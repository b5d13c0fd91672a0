/** What was persisted is parsed when it is read: what may be lost is as good as none, what may not names its file. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseFile, parseOrNone } from '../../src/disk/parse-file.ts';

const Mark = z.strictObject({ until: z.string() });
const WHOLE = '{"until":"noon"}\n';

test.each([
  ['torn', '{"until":"no', 'is not whole JSON'],
  ['empty', '', 'is not whole JSON'],
  ['of another shape', '{"until":12}', 'has another shape at until'],
])('a file that is %s', (_how, text, says) => {
  expect(parseOrNone(Mark, text)).toBeUndefined();
  expect(() => parseFile(Mark, text, 'runs/r1/mark.json')).toThrow(
    expect.objectContaining({
      code: 'data_corrupt',
      message: expect.stringContaining(`runs/r1/mark.json ${says}`),
      details: { file: 'runs/r1/mark.json' },
    }),
  );
});

test('a whole one is what it says', () => {
  expect([parseOrNone(Mark, WHOLE), parseFile(Mark, WHOLE, 'x')]).toEqual([{ until: 'noon' }, { until: 'noon' }]);
});
