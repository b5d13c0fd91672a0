/** A file that cannot be loaded is one problem, not five. */
import { expect, test } from 'vitest';
import { lockedLamp } from '../lamps.ts';
import { linesOf, verify, withSample } from './verify-lamps.ts';

test('a sample with a key that is unknown is reported once, without what its absence brings', async () => {
  const lines = linesOf(await verify(withSample('locked-lamp', { ...lockedLamp, wishes: [] })));
  expect(lines).toEqual(['4 schema locked-lamp locked-lamp']);
});

test('a checker that cannot be read is reported once; another fault beside it is still named', async () => {
  const broken = { 'checkers/locked-untouched.mjs': 'export const checker = {' };
  expect(linesOf(await verify({ files: broken }))).toEqual(['3 schema locked-untouched']);
  const both = { ...broken, 'samples/turn-on.json': undefined };
  expect(linesOf(await verify({ files: both }))).toContain('4 rule-without-sample R1');
});
