/** The review of the second round of the refund desk, as it is frozen at its gate. */
import type { ReviewPack } from '../../src/gate/rules/review-pack.ts';

export function reviewPack(parts: Partial<ReviewPack> = {}): ReviewPack {
  return {
    version: 1,
    gate: 'HITL-1.r2',
    run: '20261120-0714-k3f9',
    scenario: 'refund-desk',
    title: 'Refund desk of an online shop',
    round: 2,
    designDigest: 'c83d1e5520ab66f0',
    designDir: 'design/r2',
    author: 'agent:init',
    effect: {
      text: 'Approve lets Execute carry on with 6 tools, 6 checkers and 15 samples.',
      estimateUsd: 0.6,
      spentUsd: 1.1,
      budgetUsd: 25,
    },
    why: {
      reason: 'returned',
      text: 'Execute returned it: 1 of 15 samples failed on R4 and R9 (layer 1).',
      evidence: [
        {
          text: 'gold fails in refund-gift-card',
          path: 'execution_outputs/iteration_2/traces/refund-gift-card.1.jsonl',
        },
      ],
    },
    summary: 'R4 now gives way to R9 when a gift card paid.',
    since: {
      round: 1,
      rules: [
        {
          kind: 'changed',
          id: 'R4',
          title: 'Way of the refund',
          before: 'Money goes back to the original card.',
          after: 'Money goes back the way it came; gift cards stay gift cards.',
          reason: 'no end state could satisfy R4 and R9',
          evidence: ['refund-gift-card'],
        },
        {
          kind: 'added',
          id: 'R11',
          title: 'Mixed payments',
          after: 'Each part goes back the way it came.',
          evidence: [],
        },
      ],
      format: [],
      diff: '--- a/business_rules.yaml\n+++ b/business_rules.yaml\n@@ -12,3 +12,4 @@\n   - id: R4\n-    text: Money goes back to the original card.\n+    text: Money goes back the way it came; gift cards stay gift cards.\n',
    },
    rules: [
      {
        id: 'R4',
        title: 'Way of the refund',
        text: 'Money goes back the way it came; gift cards stay gift cards.',
        severity: 'must',
      },
      { id: 'R11', title: 'Mixed payments', text: 'Each part goes back the way it came.', severity: 'should' },
    ],
    sources: [
      {
        file: 'policies/gift-cards.md',
        sections: [
          { line: 4, title: '1. Money that came from a gift card', rules: ['R4', 'R11'] },
          { line: 9, title: '2. Lost cards', rules: [] },
        ],
      },
    ],
    cases: {
      attributes: 3,
      rules: [
        { id: 'R4', lines: [{ when: 'reason: damaged', demands: 'refund to: card' }], over: ['R8'] },
        { id: 'R8', lines: [{ when: 'every case', demands: 'record: once' }], over: [] },
      ],
      findings: [
        {
          kind: 'conflict',
          rules: ['R4', 'R8'],
          text: 'R4 and R8 demand different things.',
          example: 'reason: damaged',
        },
      ],
    },
    checks: [
      { name: 'schema', ok: true, detail: '' },
      { name: 'every rule has a sample', ok: false, detail: 'R11 has none yet' },
    ],
    questions: ['Are gift cards given as a present refundable?'],
    comments: [
      {
        gate: 'HITL-1.r1',
        actor: 'user:ada',
        text: 'Please mind gift cards: R4 and R9 look close.',
        addressed: true,
        detail: 'R4 changed',
      },
    ],
    ...parts,
  };
}
