import { expect, test } from 'vitest';
import { groupCases, proveHire, readHireDesign, type Edits } from '../../../../../evaluation/proof/tool-hire.ts';

/** A doubt needs the plays of a measurement, and hardly any mutant. */
const BUDGET = { seconds: 20, mutantsEach: 1 };

async function listDoubts(edits: Edits): Promise<string[]> {
  const { ok, problems, strength } = await proveHire(edits, BUDGET);
  expect({ ok, problems }).toEqual({ ok: true, problems: [] });
  return (strength?.findings ?? []).map(({ code, component }) => `${code} ${component}`);
}

const RETURNS = 'samples/due-today.json';
const LONGER = 'samples/third-week-refused.json';
const FOUR_DAYS = 'samples/four-days-late.json';

const WORDS_OF_RETURNS =
  '"must_say": [\n      {\n        "any": ["nothing to pay", "no fee", "in time"]\n      }\n    ]';
const EXTENDS = (hire: string): string =>
  `{\n      "tool": "extend_hire",\n      "args": {\n        "hire": "${hire}"\n      }\n    }`;

const EDITS: [what: string, edits: Edits, doubt: string][] = [
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
  [
    'a user of gold who says what its sample does not hold',
    { [FOUR_DAYS]: ['"agrees to the amount": "Yes, please do."', '"agrees to the amount": "Fine with me."'] },
    'user-unlike-gold four-days-late',
  ],
  ['last words that nobody judges', { [RETURNS]: [WORDS_OF_RETURNS, '"must_say": []'] }, 'empty-words due-today'],
  [
    'a wrong path about a record that is not there',
    {
      [LONGER]: [
        `${EXTENDS('H-14')},\n    {\n      "tool": "log_contact",\n      "args": {\n        "outcome": "extended"`,
        `${EXTENDS('H-99')},\n    {\n      "tool": "log_contact",\n      "args": {\n        "outcome": "refused"`,
      ],
    },
    'wrong-breaks-nothing third-week-refused',
  ],
];

const GROUPS = groupCases(EDITS.map(([what, edits, doubt]) => ({ what, edits, doubt })));

test.each(GROUPS.map((group) => [group.cases.map(({ what }) => what).join('; '), group] as const))(
  '%s',
  async (_, { edits, cases }) => {
    expect(await listDoubts(edits)).toEqual(expect.arrayContaining(cases.map(({ doubt }) => doubt)));
  },
);

test('sound samples have none of these doubts', async () => {
  const codes = EDITS.map(([, , doubt]) => doubt.split(' ')[0]);
  const doubts = await listDoubts({});
  expect(doubts.filter((one) => codes.includes(one.split(' ')[0]))).toEqual([]);
});

test('an attribute that no rule minds says nothing of a category', async () => {
  const design = await readHireDesign();
  Object.assign(design.format.cases?.attributes ?? {}, { colour: { values: ['red', 'blue'], usual: 'red' } });
  const others = ['another-week-granted', 'second-week-granted', 'reserved-by-another'];
  const edits = Object.fromEntries(
    others.map(
      (id) => [`samples/${id}.json`, ['"request": "extend"', '"request": "extend", "colour": "blue"']] as const,
    ),
  ) as Edits;
  const { strength } = await proveHire(edits, BUDGET, { design });
  const codes = (strength?.findings ?? []).map(({ code }) => code);
  expect(codes).not.toContain('sample-category-unlike');
});
