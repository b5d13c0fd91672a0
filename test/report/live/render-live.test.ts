import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../src/run/progress-event.ts';
import { EMPTY_VIEW, reduceProgress } from '../../../src/report/live/progress-view.ts';
import { renderLine } from '../../../src/report/live/render-line.ts';
import { renderLive } from '../../../src/report/live/render-live.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { hostileText } from '../hostile.ts';
import { RUN, step, STORY } from '../events.ts';

describe('renderLive', () => {
  it('shows run, phase, samples, rates, cost and how full each context is', () => {
    expect(renderLive(STORY.reduce(reduceProgress, EMPTY_VIEW), 90)).toMatchInlineSnapshot(`
      [
        " SIMULATED  refund-desk                                                      20261120-k3f9",
        "phase     samples run through the subject  round 1, iteration 2",
        "samples   ████░░░░░░░░░░░░░░░░░░░░░░░░░░ 2 of 15  1 failed",
        "rate      ▅  i1 60 %  target 85 %",
        "cost      $0.92  71 model calls",
        "init      █████░░░░░░░░░░░ 6.1k of 18.0k  1 compaction, 12.1k tokens freed  step 4 read, …",
        "execute   ████████░░░░░░░░ 9.0k of 18.0k  step 4 read, write",
        "· r1: Init designs",
        "· compaction of init: 18.2k → 6.1k tokens (14 steps summarised)",
        "· HITL-1.r1 opened: design 4be2a9c01f77 waits for a decision",
        "· HITL-1.r1 approved by policy:demo (a policy, not a person): “mind R4”",
        "· i1 (r1): 9 of 15 passed, 60 % (95 % interval 36–80 %); failures: layer 1 (design) × 1, …",
        "· i2 (r1): every sample runs through the subject",
      ]
    `);
  });

  it('shows the newest lanes of sub-agents, and no more of them', () => {
    const lane = (number: number): ProgressEvent => ({
      ...{ type: 'step', agent: `init/subagent-0000000${number}`, step: 1, tools: ['read'] },
      ...{ contextTokens: 1, triggerTokens: 9 },
    });
    const rows = renderLive([...STORY, lane(1), lane(2), lane(3), lane(4)].reduce(reduceProgress, EMPTY_VIEW), 90);
    expect(rows.flatMap((row) => /^\S+\/subagent-0+(\d)/.exec(row)?.[1] ?? [])).toEqual(['2', '3', '4']);
    expect(rows.filter((row) => row.startsWith('init ') || row.startsWith('execute '))).toHaveLength(2);
  });

  it('says SIMULATED on a narrow screen too, and not on a real run', () => {
    expect(renderLive(reduceProgress(EMPTY_VIEW, RUN), 20)[0]).toContain('SIMULATED');
    expect(renderLive(reduceProgress(EMPTY_VIEW, { ...RUN, simulated: false }), 80).join('\n')).not.toContain(
      'SIMULATED',
    );
  });

  it('never is wider than the screen and never lets a text act on the terminal', () => {
    const events = fc.array(
      fc.oneof(
        hostileText.map((text): ProgressEvent => ({ ...RUN, run: text, scenario: text, endpoint: text })),
        hostileText.map((text): ProgressEvent => ({
          ...step(text),
          type: 'step',
          agent: text,
          tools: [text, text],
          step: 1,
          contextTokens: 5,
          triggerTokens: 0,
        })),
        hostileText.map((text): ProgressEvent => ({ type: 'state', status: text, detail: text })),
        hostileText.map((text): ProgressEvent => ({
          type: 'gate',
          gate: text,
          outcome: 'reject',
          actor: text,
          comment: text,
          digest: text,
        })),
        hostileText.map((text): ProgressEvent => ({
          type: 'verified',
          ok: false,
          problems: [{ layer: 3, component: text, message: text }],
        })),
        hostileText.map((text): ProgressEvent => ({
          type: 'retry',
          what: text,
          attempt: 2,
          delayMs: 100,
          reason: text,
        })),
        fc.constantFrom(...STORY),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 120 }), (list, columns) => {
        const lines = renderLive(list.reduce(reduceProgress, EMPTY_VIEW), columns);
        for (const line of [...lines, ...list.flatMap((event) => renderLine(event) ?? [])]) {
          expect(line).not.toMatch(/\p{Cc}/u);
          expect(line.isWellFormed()).toBe(true);
        }
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
