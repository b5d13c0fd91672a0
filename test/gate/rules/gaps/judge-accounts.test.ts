import { expect, test } from 'vitest';
import {
  checkAccounts,
  judgeAccounts,
  listAccountQuestions,
  listBriefSentences,
} from '../../../../src/gate/rules/gaps/judge-accounts.ts';
import { SentenceAccount } from '../../../../src/scenario/handoff.ts';
import { formatOf, rule, rulesOf } from '../../../support/designs.ts';

const sources = [
  {
    path: 'brief.md',
    text: '# The desk\nWe sell lamps since 1990. Some ask for a refund, some for an exchange or a repair.\n\n- A refund goes to the card.\n',
  },
  {
    path: 'policies/rules.md',
    text: '# Rules\n## 1. Refunds\nA refund goes to the card.\n## 2. Letters\nNobody writes letters.\n',
  },
];
const design = {
  rules: rulesOf(
    rule('R1', 'A refund goes to the card.', { quote: 'A refund goes to the card.', source: 'policies/rules.md' }),
  ),
  format: formatOf({
    cases: {
      attributes: { request: ['refund', 'exchange', 'repair'], days: '0..30' },
      outcomes: { paid: ['yes', 'no'] },
      impossible: [],
    },
  }),
};
const judge = (...given: unknown[]) => {
  const accounts = given.map((one) => SentenceAccount.parse(one));
  return {
    judged: judgeAccounts({ ...design, accounts }, sources),
    asked: listAccountQuestions({ ...design, accounts }, sources),
  };
};

test('numbers the sentences of the brief without its headings', () => {
  expect(listBriefSentences(sources).map(({ place, text }) => `${place} ${text}`)).toEqual([
    '1 We sell lamps since 1990.',
    '2 Some ask for a refund, some for an exchange or a repair.',
    '3 A refund goes to the card.',
  ]);
});

test('shows a sentence that nothing accounts for, and what the design does not have', () => {
  const { judged } = judge(
    { of: [1], none: 'background' },
    { of: [2], by: ['request=refund', 'request=gift', 'days=7', 'R9'] },
  );
  expect(judged.map(({ place, doubt }) => [place, doubt])).toEqual([
    ['1', undefined],
    ['2', 'the design has no request=gift, R9'],
    ['3', 'is not accounted for'],
  ]);
  expect(checkAccounts(judged)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('“A refund goes to the card.” (brief, sentence 3): is not') as string,
  });
});

test('accepts rules, values, attributes, outcomes, tools and categories, and a section by its file and line', () => {
  const { judged, asked } = judge(
    { of: [1, 2], by: ['request', 'paid', 'issue_refund', 'refunds'] },
    { of: [3], by: ['R1'] },
    { of: ['policies/rules.md:4'], none: 'left_out', why: 'letters are out of fashion' },
  );
  expect(judged.at(-1)).toEqual({
    place: 'policies/rules.md:4',
    text: '2. Letters',
    by: [],
    none: 'left_out',
    why: 'letters are out of fashion',
  });
  expect(checkAccounts(judged)).toMatchObject({ ok: true, detail: '4 accounted for' });
  expect(asked).toEqual([]);
});

test('asks Init about a number in the background, a kind without a value, and a rule that has no word of the sentence', () => {
  const { judged, asked } = judge(
    { of: [1], none: 'background' },
    { of: [2], by: ['request=refund', 'request=exchange'] },
    { of: [3], by: ['R1'] },
  );
  expect(checkAccounts(judged).ok).toBe(true);
  expect(asked).toEqual([
    '1: “We sell lamps since 1990.” has a number or names kinds of cases: is it background?',
    '2: “Some ask for a refund, some for an exchange or a repair.” has 3 parts, and its account names 2',
  ]);
  expect(judge({ of: [1, 3], by: ['R1'] }).asked).toEqual([
    '1: “We sell lamps since 1990.” has hardly a word in common with R1',
  ]);
});

test('a long sentence that is not accounted for is quoted by its beginning', () => {
  const text = 'We expect at least fifteen cases, and none that a colleague would call unfair.';
  const { detail } = checkAccounts([{ place: '7', text, by: [], doubt: 'is not accounted for' }]);
  expect(detail).toBe('“We expect at least fifteen cases, and …” (brief, sentence 7): is not accounted for');
});
