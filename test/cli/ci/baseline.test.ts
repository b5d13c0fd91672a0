/** A baseline fails a job only when the run is worse by more than chance. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAgainstBaseline, readBaselineSource } from '../../../src/cli/ci/baseline.ts';
import { baselineTallies } from '../../../src/scenario/statistics/compare-baseline.ts';
import { failing, results, sample } from '../../report/makers.ts';
import { quietIo } from '../../support/project.ts';
import { scratch } from '../../support/scratch.ts';

const of = (passing: number, failingOnes: number, designDigest = 'design-a') =>
  results(
    [
      ...Array.from({ length: passing }, (_, index) => sample(`s${index}`)),
      ...Array.from({ length: failingOnes }, (_, index) => failing(`s${passing + index}`, 4, {})),
    ],
    { designDigest },
  );
const held = (passing: number, failingOnes: number, designDigest = 'design-a') => {
  const before = of(passing, failingOnes, designDigest);
  const { componentsDigest } = before;
  return { run: 'base', designDigest, componentsDigest, samples: baselineTallies(before) };
};

describe('against a baseline', () => {
  test('one lost sample of fifteen is noise, eight are not', () => {
    expect(checkAgainstBaseline(held(15, 0), of(14, 1)).label).toBe('soft');
    expect(checkAgainstBaseline(held(15, 0), of(7, 8))).toMatchObject({
      label: 'regression',
      text: expect.stringContaining('53 points lower (46.7 % of trials pass, 100 % before)'),
    });
  });

  test('the same is the same, and more is better', () => {
    expect(checkAgainstBaseline(held(10, 5), of(10, 5)).label).toBe('same');
    expect(checkAgainstBaseline(held(5, 10), of(15, 0)).label).toBe('better');
  });

  test('another design is held to its rate only, because its samples are others', () => {
    expect(checkAgainstBaseline(held(15, 0), of(7, 8, 'design-b'))).toMatchObject({
      label: 'regression',
      text: expect.stringContaining('the designs differ, so only the rates are compared'),
    });
    expect(checkAgainstBaseline(held(15, 0), of(14, 1, 'design-b')).label).toBe('soft');
    expect(checkAgainstBaseline(held(3, 0), of(0, 2, 'design-b')).label).toBe('not enough data');
  });

  test('other tools, checkers or samples are said, and held to the rate only', () => {
    const base = { ...held(15, 0), componentsDigest: 'components-of-before' };
    expect(checkAgainstBaseline(base, of(7, 8))).toMatchObject({
      label: 'regression',
      text: expect.stringContaining('tools, checkers or samples differ, so only the rates are compared'),
    });
  });

  test('a file that nobody blessed is refused before anything runs', async () => {
    const dir = await scratch();
    await mkdir(join(dir, 'scenarios'));
    await writeFile(join(dir, 'baseline.json'), '{}');
    await expect(readBaselineSource('baseline.json', quietIo(dir))).rejects.toMatchObject({ code: 'usage' });
    await expect(readBaselineSource('no-such-run', quietIo(dir))).rejects.toMatchObject({ code: 'not_found' });
  });
});
