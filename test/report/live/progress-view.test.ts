import { describe, expect, it } from 'vitest';
import { EMPTY_VIEW, reduceProgress } from '../../../src/report/live/progress-view.ts';
import { renderLive } from '../../../src/report/live/render-live.ts';
import { iteration, compaction, sampleDone, gate } from '../events.ts';

describe('reduce', () => {
  it('counts compactions per agent and keeps a refused one apart', () => {
    const view = [compaction('started'), compaction('accepted'), compaction('refused')].reduce(
      reduceProgress,
      EMPTY_VIEW,
    );
    expect(view.agents).toMatchObject([
      { agent: 'init', compactions: 1, refused: 1, tokensSaved: 12_120, compacting: false },
    ]);
    expect(reduceProgress(EMPTY_VIEW, compaction('started')).agents[0]?.compacting).toBe(true);
  });

  it('starts the sample bar anew with every iteration', () => {
    const view = [sampleDone(1, 'fail'), { type: 'phase', phase: 'execute', round: 1, iteration: 3 } as const].reduce(
      reduceProgress,
      EMPTY_VIEW,
    );
    expect(view.samples).toBeUndefined();
  });

  it('shows an iteration once though it was told twice, as after a resume', () => {
    expect([iteration(1, 0.6), iteration(1, 0.6)].reduce(reduceProgress, EMPTY_VIEW).iterations).toHaveLength(1);
  });

  it('shows who repairs what a proof has refused', () => {
    const verify = { type: 'phase', phase: 'verify', round: 1, iteration: 1 } as const;
    const verified = (ok: boolean) =>
      reduceProgress(reduceProgress(EMPTY_VIEW, verify), { type: 'verified', ok, problems: [] });
    expect(renderLive(verified(false), 80)[1]).toContain('Execute builds tools, checkers and samples');
    expect(verified(true).phase).toEqual(verify);
  });

  it('waits at a gate from its opening to its answer', () => {
    const open = reduceProgress(EMPTY_VIEW, gate('opened', ''));
    expect(renderLive(open, 80)[1]).toBe('gate      HITL-1.r1 waits for a decision');
    expect(reduceProgress(open, gate('approve')).gate).toBeUndefined();
  });
});
