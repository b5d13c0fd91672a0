import { describe, expect, it } from 'vitest';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { renderRunMarkdown } from '../../../src/report/run/run-markdown.ts';
import { HOSTILE, infected } from '../hostile.ts';
import { waitingDesk } from '../refund-desk-moments.ts';
import { refundDesk } from '../refund-desk.ts';

describe('renderRunMarkdown', () => {
  it('leads with the verdict and its notes, and links the traces from out/', () => {
    const page = renderRunMarkdown(refundDesk());
    expect(page).toMatch(
      /^# Refund desk of an online shop: Target met\n\n\*\*Target met\.\*\* 14 of 15 samples passed/,
    );
    expect(page).toContain('> **NO PERSON APPROVED.** HITL-1.r2 was answered by policy:demo');
    expect(page).toContain('| 2 | r1 | **80 %** | 55–93 % | 12 of 15 | 0 | 1 | 0 | 1 | 1 | $0.27 | returned to Init |');
    expect(page).toContain('- **HITL-1.r2: approved** by `policy:demo` (**a policy, not a person**).');
    expect(page).toContain('](../execution_outputs/iteration_3/traces/partial-refund-two-items.1.jsonl)');
    expect(page).toContain('0 of 1 trial passed · still failing');
  });

  it('shows no path above the scenario, for a report travels', () => {
    const page = renderRunMarkdown(refundDesk({ folder: '/home/ada/desk/scenarios/refund-desk/runs/r1' }));
    expect(page).toContain('`refund-desk/runs/r1`');
    expect(page).not.toContain('/home/ada');
  });

  it('tells where the hours went, by agent and by step, once times were taken', () => {
    const { spend } = refundDesk();
    expect(renderRunMarkdown(refundDesk())).not.toContain('waited for answers');
    const timed = { usd: 1, calls: 31, ms: 724_000, longestMs: 35_000 };
    const byStep = { 'design.r1': timed, 'execute.i1': { usd: 0.2, calls: 9 } };
    const page = renderRunMarkdown(refundDesk({ spend: { ...spend, ms: 724_000, byAgent: { init: timed }, byStep } }));
    expect(page).toContain('| agent | cost | model calls | waited for answers, calls added up | longest call |');
    expect(page).toContain('| init | $1.00 | 31 | 12 min 04 s | 35.0 s |');
    expect(page).toContain('| execute.i1 | $0.20 | 9 | – | – |');
  });

  it('shows whose input came from the prompt cache, the subject’s too', () => {
    const { spend } = refundDesk();
    expect(renderRunMarkdown(refundDesk())).not.toContain('input from the cache');
    const byAgent = { subject: { usd: 0.5, calls: 9, cacheRead: 0.64 }, user: { usd: 0.1, calls: 4 } };
    const page = renderRunMarkdown(refundDesk({ spend: { ...spend, cacheRead: 0.64, byAgent } }));
    expect(page).toContain('| agent | cost | model calls | input from the cache |');
    expect(page).toContain('| subject | $0.50 | 9 | 64 % |');
    expect(page).toContain('| user | $0.10 | 4 | – |');
    const html = renderRunHtml(refundDesk({ spend: { ...spend, cacheRead: 0.64, byAgent } }), '');
    expect(html).toContain('input from the cache');
    expect(html).toContain('64\u00A0%');
  });

  it('says that nothing was evaluated yet', () => {
    expect(renderRunMarkdown(waitingDesk)).toContain('No iteration has been evaluated yet.');
    expect(renderRunMarkdown(waitingDesk)).toContain('No context was compacted.');
  });

  it.each(HOSTILE)('keeps its headings and tables when every text is %j', (text) => {
    const shape = (page: string) =>
      page
        .replace(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, 'FENCE')
        .split('\n')
        .flatMap((line) => /^(#+ |\| --- .*| *- |> |FENCE)/.exec(line)?.[1] ?? []);
    const page = renderRunMarkdown(infected(refundDesk(), (index) => `${text}${index}`));
    expect(shape(page)).toEqual(shape(renderRunMarkdown(infected(refundDesk(), (index) => `word${index}`))));
  });
});
