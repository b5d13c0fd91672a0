import { expect, test } from 'vitest';
import { proveHire } from '../../tool-hire.ts';

/** A doubt needs the plays of a measurement, and hardly any mutant. */
const BUDGET = { seconds: 20, mutantsEach: 1 };

async function listDoubts(edits: Parameters<typeof proveHire>[0]): Promise<string[]> {
  const { ok, problems, strength } = await proveHire(edits, BUDGET);
  expect({ ok, problems }).toEqual({ ok: true, problems: [] });
  return (strength?.findings ?? []).map(({ code, component }) => `${code} ${component}`);
}

const RETURNS = 'samples/due-today.json';
const LONGER = 'samples/third-week-refused.json';
const FOUR_DAYS = 'samples/four-days-late.json';

const EDITS: [what: string, edits: Parameters<typeof proveHire>[0], doubt: string][] = [
  [
    'a user who names a tool',
    { [FOUR_DAYS]: ['loan H-10."', 'loan H-10. Call read_hire."'] },
    'user-dictates four-days-late',
  ],
  [
    'samples in each other’s category',
    {
      [LONGER]: ['"category": "longer"', '"category": "returns"'],
      [RETURNS]: ['"category": "returns"', '"category": "longer"'],
    },
    'sample-category-unlike due-today',
  ],
  [
    'gold that says an amount which nobody read or charged',
    { [FOUR_DAYS]: ['and 8.00 was charged.",\n  "wrong"', 'and 8.00 was charged. That costs 37.50 EUR.",\n  "wrong"'] },
    'gold-says-untrue four-days-late',
  ],
];

test.each(EDITS)('%s', async (_, edits, doubt) => {
  expect(await listDoubts(edits)).toContain(doubt);
});

test('sound samples have none of these doubts', async () => {
  const codes = EDITS.map(([, , doubt]) => doubt.split(' ')[0]);
  const doubts = await listDoubts({});
  expect(doubts.filter((one) => codes.includes(one.split(' ')[0]))).toEqual([]);
});
