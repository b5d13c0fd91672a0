import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../src/run/progress-event.ts';
import { renderLine } from '../../../src/report/live/render-line.ts';
import { iteration, compaction, sampleDone, STORY } from '../events.ts';

describe('renderLine', () => {
  it('has a line for every real change and none for steps, payments and single samples', () => {
    expect(STORY.map((event) => renderLine(event))).toMatchInlineSnapshot(`
      [
        "run 20261120-k3f9 of refund-desk; model endpoint http://127.0.0.1:4 (SIMULATED)",
        "r1: Init designs",
        undefined,
        "compaction of init: 18.2k → 6.1k tokens (14 steps summarised)",
        "HITL-1.r1 opened: design 4be2a9c01f77 waits for a decision",
        "HITL-1.r1 approved by policy:demo (a policy, not a person): “mind R4”",
        "i1 (r1): 9 of 15 passed, 60 % (95 % interval 36–80 %); failures: layer 1 (design) × 1, layer 3 (checkers) × 2",
        "i2 (r1): every sample runs through the subject",
        undefined,
        undefined,
        undefined,
        undefined,
      ]
    `);
  });

  it('tells each step of a sub-agent', () => {
    const step = {
      type: 'step',
      agent: 'init/subagent-ab12cd34',
      step: 2,
      contextTokens: 1,
      triggerTokens: 9,
    } as const;
    expect(renderLine({ ...step, tools: ['read', 'grep'] })).toBe('init/subagent-ab12cd34 step 2: read, grep');
    expect(renderLine({ ...step, tools: [] })).toBe('init/subagent-ab12cd34 step 2: answers');
    expect(renderLine({ ...step, agent: 'init', tools: ['read'] })).toBeUndefined();
  });

  it('says of a long pause when it ends, and why it is', () => {
    const until = '2026-11-22T22:04:10.000Z';
    const retry = { type: 'retry', what: 'model call', attempt: 2, reason: '429' } as const;
    expect(renderLine({ ...retry, delayMs: 5_000 })).toBe('retry 2 of model call in 5.0 s: 429');
    expect(renderLine({ ...retry, delayMs: 45_000, until })).toBe(
      'retry 2 of model call in 45.0 s (until 22:04:10 UTC): 429',
    );
    expect(renderLine({ type: 'wait', what: 'a call of x', delayMs: 45_000, until, reason: 'others' })).toBe(
      'a call of x waits 45.0 s (until 22:04:10 UTC): others',
    );
  });

  it('names what was refused, lost, broken or returned', () => {
    expect(renderLine(compaction('refused'))).toBe('compaction of init refused at 18.2k tokens: 14 steps summarised');
    expect(renderLine(compaction('started'))).toBeUndefined();
    const layer = { type: 'layer_changed', entry: 'e7', layer: 'project_rules' } as const;
    expect(renderLine({ type: 'context', agent: 'init', change: layer })).toBe(
      'context of init: from here on the part “project rules” of the system prompt is new',
    );
    const item = { type: 'item_added', entry: 'e8', item: 'recap' } as const;
    expect(renderLine({ type: 'context', agent: 'init', change: item })).toBeUndefined();
    const lost = { ...sampleDone(3, 'unscored'), why: 'the infrastructure failed: nothing answers' } as const;
    expect(renderLine(lost)).toBe('i2: s-3 trial 1 is unscored: the infrastructure failed: nothing answers');
    const doubtful = { verdict: 'disputed', passedRange: { low: 11, high: 13 } } as const;
    const line = renderLine({ ...iteration(2, 0.8), ...doubtful } satisfies ProgressEvent);
    expect(line).toMatch(/^i2 \(r1\): 11 to 13 of 15 passed, 80 % \(95 % interval .*\), disputed; failures/);
    expect(renderLine(iteration(2, 0.8, true))).toMatch(/; returned to Init$/);
    expect(renderLine({ type: 'state', status: 'awaiting_approval', detail: 'HITL-1.r1' })).toBe(
      'awaiting approval: HITL-1.r1',
    );
    const problems = [1, 2, 3, 4].map((number) => ({ layer: 3, component: `c${number}`, message: 'accepts nothing' }));
    expect(renderLine({ type: 'verified', ok: false, problems })).toBe(
      'verified: 4 problems: c1: accepts nothing; c2: accepts nothing; c3: accepts nothing; and 1 more',
    );
    const named = [{ layer: 3, component: 'said', message: 'checkers/said.mjs: accepts nothing' }];
    expect(renderLine({ type: 'verified', ok: false, problems: named })).toBe(
      'verified: 1 problem: checkers/said.mjs: accepts nothing',
    );
  });

  it('reports a long evaluation in quarters, a short one not at all', () => {
    const lines = Array.from({ length: 200 }, (_, index) => renderLine(sampleDone(index + 1, 'pass', 200))).filter(
      Boolean,
    );
    expect(renderLine(sampleDone(4, 'pass', 15))).toBeUndefined();
    expect(lines).toEqual(['i2: 50 of 200 samples done', 'i2: 100 of 200 samples done', 'i2: 150 of 200 samples done']);
  });
});
