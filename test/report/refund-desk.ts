/** A whole run as the reports see it: two rounds, three iterations, fifteen samples. */
import type { RunSummary } from '../../src/report/run/run-summary.ts';
import type { Results, SampleResult } from '../../src/scenario/result.ts';
import { failing, results, sample } from './makers.ts';

const COVERS = [
  ['full-refund-in-window', 'refunds', ['R1', 'R2']],
  ['refund-day-29', 'refunds', ['R2']],
  ['refund-day-31', 'refunds', ['R2', 'R5']],
  ['refund-gift-card', 'gift-cards', ['R4', 'R9']],
  ['partial-refund-two-items', 'refunds', ['R1', 'R6']],
  ['opened-software', 'refunds', ['R5']],
  ['exchange-in-stock', 'exchanges', ['R7']],
  ['exchange-out-of-stock', 'exchanges', ['R7', 'R8']],
  ['exchange-price-difference', 'exchanges', ['R8', 'R6']],
  ['gift-card-balance', 'gift-cards', ['R9', 'R3']],
  ['gift-card-expired', 'gift-cards', ['R9']],
  ['identity-wrong-postcode', 'identity', ['R3']],
  ['identity-third-attempt', 'identity', ['R3', 'R10']],
  ['angry-customer', 'refunds', ['R10', 'R1']],
  ['two-orders-one-wrong', 'exchanges', ['R7', 'R3']],
] as const;

function deskSamples(failures: Readonly<Record<string, SampleResult>>): SampleResult[] {
  return COVERS.map(([id, category, covers]) => {
    const shape = { category, covers: [...covers], title: TITLES[id] ?? id };
    const failed = failures[id];
    return failed === undefined ? sample(id, shape) : { ...failed, ...shape };
  });
}

const TITLES: Readonly<Record<string, string>> = {
  'refund-day-31': 'Customer asks for a refund one day after the window closed',
  'refund-gift-card': 'Customer wants a gift-card purchase refunded to a bank card',
  'exchange-price-difference': 'Exchange for a dearer item: who pays the difference',
  'partial-refund-two-items': 'Refund of two of five items in one parcel',
  'opened-software': 'Opened software is sent back inside the window',
};

const COVERAGE = Object.fromEntries(
  ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10'].map((rule) => [
    rule,
    {
      samples: COVERS.filter(([, , covers]) => (covers as readonly string[]).includes(rule)).map(([id]) => id),
      checkers: [`checks-${rule.toLowerCase()}`],
    },
  ]),
);

const giftCard = failing(
  'refund-gift-card',
  1,
  {
    checker: 'checks-r4',
    reason: 'R4 sends the money to the original card, R9 keeps it on a gift card',
    evidence: ['/orders/W4/refund/to', 'expected: "gift_card"', 'actual:   "bank_card"'],
  },
  { why: ['gold fails: R4 and R9 cannot both hold in any end state', 'cited rules: R4, R9'] },
);
const lateRefund = failing(
  'refund-day-31',
  3,
  {
    checker: 'checks-r5',
    reason: 'accepts a refund on day 31',
    evidence: [
      'step 3: issue_refund {"order":"W3","amount":120}',
      'expected: no call of issue_refund',
      'actual:   called once',
    ],
  },
  { why: ['the checker accepted the do-nothing agent'] },
);

const first = results(
  deskSamples({
    'refund-gift-card': giftCard,
    'refund-day-31': lateRefund,
    'opened-software': failing('opened-software', 3, {
      checker: 'checks-r5',
      reason: 'counts the day of delivery twice',
      evidence: ['day 14 was read as day 15'],
    }),
    'exchange-price-difference': {
      ...failing('exchange-price-difference', 2, {
        reason: 'price difference was not booked',
        evidence: ['/payments: expected [{"amount":15}], actual []'],
      }),
      why: ['exchange_item answered {"difference":"15"}: a string where its schema says number'],
    },
    'partial-refund-two-items': failing(
      'partial-refund-two-items',
      4,
      { reason: 'refunded the whole order', evidence: ['/orders/W5/refunded', 'expected: 40', 'actual:   120'] },
      { why: ['gold passes, tools and checkers hold: the subject chose the wrong amount'] },
    ),
    'identity-third-attempt': failing('identity-third-attempt', 4, {
      checker: 'checks-r10',
      reason: 'did not hand over after the third attempt',
      evidence: [],
    }),
  }),
  {
    verification: {
      ok: true,
      problems: [],
      proofs: [{ sample: 'refund-day-31', gold: true, nothing: true, wrong: true, mutants: true }],
      coverage: COVERAGE,
    },
  },
);
const second = results(
  deskSamples({
    'refund-gift-card': giftCard,
    'partial-refund-two-items': failing('partial-refund-two-items', 4, {
      reason: 'refunded the whole order',
      evidence: ['/orders/W5/refunded', 'expected: 40', 'actual:   120'],
    }),
    'refund-day-31': lateRefund,
  }),
  {
    iteration: 2,
    interval: [0.55, 0.93],
    costUsd: 0.27,
    verification: { ok: true, problems: [], proofs: [], coverage: COVERAGE },
  },
);
const third = results(
  deskSamples({
    'partial-refund-two-items': failing(
      'partial-refund-two-items',
      4,
      { reason: 'refunded the whole order', evidence: ['/orders/W5/refunded', 'expected: 40', 'actual:   120'] },
      { why: ['gold passes, tools and checkers hold: the subject chose the wrong amount'] },
    ),
  }),
  {
    iteration: 3,
    round: 2,
    designDigest: 'c83d1e5520ab66f0',
    interval: [0.701, 0.988],
    costUsd: 0.24,
    verification: { ok: true, problems: [], proofs: [], coverage: COVERAGE },
  },
);

const iterationOf = (one: Results, returned: boolean): RunSummary['iterations'][number] => ({
  iteration: one.iteration,
  round: one.round,
  successRate: one.successRate,
  interval: one.interval,
  passed: one.passed,
  total: one.total,
  unscored: one.unscored,
  layers: one.layers,
  returned,
  costUsd: one.costUsd,
  results: one,
  outputDir: `execution_outputs/iteration_${one.iteration}`,
});

export function refundDesk(parts: Partial<RunSummary> = {}): RunSummary {
  return {
    run: '20261120-0714-k3f9',
    scenario: 'refund-desk',
    title: 'Refund desk of an online shop',
    folder: 'scenarios/refund-desk/runs/20261120-0714-k3f9',
    status: 'succeeded',
    why: 'Iteration 3 passed 14 of 15 samples; the target of 85 % is met under design r2.',
    target: 0.85,
    rounds: [
      {
        round: 1,
        digest: '4be2a9c01f77d3aa51e0',
        decidedBy: 'user:ada',
        decision: 'approve',
        comment: 'Please mind gift cards: R4 and R9 look close.',
        rules: 10,
      },
      { round: 2, digest: 'c83d1e5520ab66f0', decidedBy: 'policy:demo', decision: 'approve', comment: '', rules: 11 },
    ],
    iterations: [
      iterationOf(first, false),
      {
        ...iterationOf(second, true),
        problems: [
          {
            title: 'R4 and R9 contradict each other',
            rules: ['R4', 'R9'],
            samples: ['refund-gift-card'],
            claim: 'No end state can satisfy both when a gift card paid for the order.',
          },
        ],
      },
      iterationOf(third, false),
    ],
    compactions: [
      {
        agent: 'init',
        entry: 'e41',
        tokensBefore: 18_240,
        tokensAfter: 6120,
        stepsSummarised: 14,
        stepsKept: 3,
        reason: 'passed the trigger of 18000 tokens',
      },
      {
        agent: 'execute',
        entry: 'e77',
        tokensBefore: 31_900,
        tokensAfter: 9480,
        stepsSummarised: 33,
        stepsKept: 5,
        reason: 'passed the trigger of 31000 tokens',
      },
      {
        agent: 'execute',
        entry: 'e142',
        tokensBefore: 31_240,
        tokensAfter: 10_020,
        stepsSummarised: 29,
        stepsKept: 5,
        reason: 'passed the trigger of 31000 tokens',
      },
    ],
    spend: {
      usd: 1.8342,
      calls: 163,
      byAgent: {
        init: { usd: 0.52, calls: 31 },
        execute: { usd: 0.98, calls: 87 },
        subject: { usd: 0.3342, calls: 45 },
      },
    },
    budgetUsd: 25,
    simulated: true,
    endpoint: 'http://127.0.0.1:43117',
    sandbox: 'bubblewrap',
    policyActors: ['policy:demo'],
    durationMs: 41_300,
    startedAt: '2026-11-20T07:14:02.114Z',
    ...parts,
  };
}
