import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReviewPack } from '../../../src/gate/rules/review-pack.ts';
import { renderDiffTerminal } from '../../../src/report/gate/diff-terminal.ts';
import { renderReviewMarkdown } from '../../../src/report/gate/review-markdown.ts';
import { renderReviewTerminal } from '../../../src/report/gate/review-terminal.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { hostileText, infected } from '../hostile.ts';
import { reviewPack } from '../review-pack.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const screen = (parts: Partial<ReviewPack> = {}) =>
  renderReviewTerminal(reviewPack(parts), { columns: 90, color: false });

describe('renderReviewTerminal', () => {
  it('where a prompt follows, what is decided and what it costs are the last lines: those that stay on a screen', () => {
    const rules = Array.from({ length: 60 }, (_, at) => ({
      id: `R${at}`,
      severity: 'must' as const,
      title: 'T',
      text: 'x',
    }));
    const pack = reviewPack({ rules });
    const lines = renderReviewTerminal(pack, { columns: 80, color: false }, { keys: [], prompt: true });
    expect(lines.length).toBeGreaterThan(24);
    const last = lines.slice(-20).join(' ');
    expect(last).toContain('WHAT YOU ARE DECIDING');
    expect(last).toMatch(/spent \$/);
    expect(lines.filter((line) => line.startsWith('WHAT YOU ARE DECIDING'))).toHaveLength(1);
  });

  it('answers in one screen what is decided, why, what changed and what is not in order', () => {
    expect(screen({ simulated: true })).toMatchInlineSnapshot(`
      [
        "HITL-1  round 2  refund-desk  SIMULATED                by agent:init · design c83d1e5520ab",
        "Refund desk of an online shop · run 20261120-0714-k3f9",
        "WHAT YOU ARE DECIDING",
        "  Approve lets Execute carry on with 6 tools, 6 checkers and 15 samples.",
        "  Estimate $0.60; spent $1.10 of $25.00.",
        "WHY ROUND 2",
        "  Execute returned it: 1 of 15 samples failed on R4 and R9 (layer 1).",
        "  · gold fails in refund-gift-card",
        "    (execution_outputs/iteration_2/traces/refund-gift-card.1.jsonl)",
        "SINCE ROUND 1 WAS APPROVED  1 rule changed, 1 added; format unchanged",
        "  ~ R4 Way of the refund (changed)",
        "      − Money goes back to the original card.",
        "      + Money goes back the way it came; gift cards stay gift cards.",
        "      because no end state could satisfy R4 and R9",
        "      shown by refund-gift-card",
        "  + R11 Mixed payments (added)",
        "      + Each part goes back the way it came.",
        "THE AGENT’S SUMMARY",
        "  R4 now gives way to R9 when a gift card paid.",
        "COMMENTS SO FAR  all addressed",
        "  ✓ “Please mind gift cards: R4 and R9 look close.” user:ada at HITL-1.r1",
        "    addressed: R4 changed",
        "CHECKS  1 of 2 failed",
        "  ! R11 has none yet (not so: every rule has a sample)",
        "  ✓ schema",
        "CASES  1 conflict, 0 gaps",
        "  ! conflict: R4 and R8 demand different things.",
        "    for example reason: damaged",
        "SOURCES  1 of 2 sections of the sources has no rule",
        "  · policies/gift-cards.md: line 9 2. Lost cards",
        "QUESTIONS FOR YOU  answer in your comment",
        "  Q1 Are gift cards given as a present refundable?",
        "",
        "[a] approve  [r] request changes  [x] reject  [d] full diff  ",
      ]
    `);
  });

  it('shows every rule of a first design instead of changes', () => {
    const lines = screen({
      round: 1,
      since: { round: null, rules: [], format: [], diff: '' },
      comments: [],
      questions: [],
    });
    expect(lines).toContain('THE DESIGN  2 rules; whole text in design/r2');
    expect(lines.join(' ')).toContain('R11 Mixed payments (should): Each part goes back the way it came.');
    expect(lines).toContain('WHY NOW');
  });

  it('warns when the estimate would pass the cap, and when a comment was not addressed', () => {
    const effect = { text: 'x', estimateUsd: 2, spentUsd: 24, budgetUsd: 25 };
    const comments = [
      { gate: 'HITL-1.r1', actor: 'user:ada', text: 'no negative cases', addressed: false, detail: '' },
    ];
    const lines = screen({ effect, comments });
    expect(lines).toContain('  Estimate $2.00; spent $24.00 of $25.00. This would pass the cap.');
    expect(lines).toContain('COMMENTS SO FAR  1 NOT addressed');
  });

  it('tells how long the gate waits when it is known, and leaves the keys to a caller who asks itself', () => {
    const lines = renderReviewTerminal(
      reviewPack(),
      { columns: 120, color: false },
      {
        waitingMs: 7_200_000,
        expiresAt: 'Friday',
        keys: [],
      },
    );
    expect(lines[0]).toContain('waiting 2 h 00 min · expires Friday · by agent:init');
    expect(lines.at(-1)).toBe('  Q1 Are gift cards given as a present refundable?');
  });

  it('is never wider than the screen and never acts on the terminal', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 120 }), (text, columns) => {
        const pack = infected(reviewPack({ simulated: true }), () => text);
        const lines = [
          ...renderReviewTerminal(pack, { columns, color: false }),
          ...renderDiffTerminal(pack, { columns, color: false }),
        ];
        const isSafe = (line: string) => displayWidth(line) <= columns && !/\p{Cc}/u.test(line) && line.isWellFormed();
        expect(lines.filter((line) => !isSafe(line))).toEqual([]);
      }),
      propertyRuns(60),
    );
  });
});

it('names what Init left out beside the sources, and folds the other sentences in Markdown', () => {
  const accounts = [
    { place: '1', text: 'We sell lamps.', by: ['R1'] },
    { place: '2', text: 'Some want a repair.', by: [], none: 'left_out' as const, why: 'done by hand' },
  ];
  const sources = [{ file: 'a.md', sections: [{ line: 1, title: 'A', rules: ['R1'] }] }];
  const text = screen({ accounts, sources }).join(' ');
  expect(text).toContain('“Some want a repair.” left out: done by hand');
  expect(text).not.toContain('lamps');
  expect(renderReviewMarkdown(reviewPack({ accounts, sources }))).toContain('1 “We sell lamps.” R1');
});
