/** Progress of a run, only for screens: it is not stored, and no decision depends on it. */
import type { ContextChange } from '../context/index.ts';
import type { LayerCounts } from '../scenario/result.ts';

export type ProgressEvent =
  | {
      type: 'run';
      run: string;
      folder: string;
      scenario: string;
      endpoint: string;
      simulated: boolean;
      resumed: boolean;
      /** The success rate at which the run succeeds, shown next to the rates. */
      target?: number;
    }
  | { type: 'phase'; phase: 'design' | 'execute' | 'verify' | 'evaluate'; round: number; iteration: number }
  | {
      type: 'step';
      agent: string;
      step: number;
      tools: string[];
      contextTokens: number;
      triggerTokens: number;
      /** The id of the API's answer. */
      requestId?: string | undefined;
    }
  | {
      type: 'compaction';
      agent: string;
      outcome: 'started' | 'accepted' | 'refused';
      tokensBefore: number;
      tokensAfter: number;
      detail: string;
    }
  /** A finished change of what a model is shown (S2.8). */
  | { type: 'context'; agent: string; change: ContextChange }
  | { type: 'spend'; totalUsd: number; uncertainUsd?: number | undefined; calls: number }
  /** `until`: the end of the pause or the wait, set where it is long enough to be watched. */
  | {
      type: 'retry';
      what: string;
      attempt: number;
      delayMs: number;
      until?: string;
      reason: string;
      requestId?: string | undefined;
    }
  | { type: 'wait'; what: string; delayMs: number; until?: string; reason: string }
  | { type: 'verified'; ok: boolean; problems: { layer: number; component: string; message: string }[] }
  | {
      type: 'sample';
      iteration: number;
      sample: string;
      trial: number;
      outcome: 'pass' | 'fail' | 'unscored';
      layer?: number;
      /** Why an unscored trial has no verdict. */
      why?: string;
      done: number;
      total: number;
    }
  | {
      type: 'iteration';
      iteration: number;
      round: number;
      successRate: number;
      passed: number;
      total: number;
      interval: [number, number];
      layers: LayerCounts;
      returned: boolean;
      /** Missing where every trial has a verdict that nothing speaks against. */
      verdict?: 'disputed' | 'incomplete';
      passedRange?: { low: number; high: number };
    }
  | {
      type: 'gate';
      gate: string;
      outcome: 'opened' | 'approve' | 'edit_approve' | 'request_changes' | 'reject' | 'expired' | 'undone';
      actor: string;
      comment: string;
      digest: string;
    }
  | { type: 'state'; status: string; detail: string };
