import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFalseStatements } from '../../../src/evaluation/statements/find-false-statements.ts';
import { playGold } from '../../support/play-gold.ts';

const SHIPPED = ['refund-desk', 'tariff-desk', 'clinic-booking'].map((name) => {
  const files = join('scenarios', name, 'simulation/files');
  return { name, design: join(files, 'r1'), components: join(files, 'i1') };
});
const MEASURED = ['tool-hire', 'referrals', 'club-dues', 'lost-luggage'].map((name) => {
  const home = join('bench/verdicts', name);
  return { name, design: join(home, 'design'), components: join(home, 'components') };
});

test.each([...SHIPPED, ...MEASURED])(
  'gold of $name says nothing that is not so, and neither does anybody who says as much',
  async ({ design, components }) => {
    const played = await playGold(design, components);
    expect(played.length).toBeGreaterThan(5);
    const doubted = played.flatMap(({ sample, input }) =>
      findFalseStatements(input).map(({ text }) => `${sample}: ${text}`),
    );
    expect(doubted).toEqual([]);
  },
);
