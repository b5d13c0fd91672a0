/** Progress events of a short story, and makers for single ones. */
import type { ProgressEvent } from '../../src/run/progress-event.ts';

export const RUN = {
  type: 'run',
  run: '20261120-k3f9',
  folder: 'scenarios/refund-desk/runs/20261120-k3f9',
  scenario: 'refund-desk',
  endpoint: 'http://127.0.0.1:4',
  simulated: true,
  resumed: false,
  target: 0.85,
} as const;
export const iteration = (number: number, successRate: number, returned = false): ProgressEvent => ({
  type: 'iteration',
  iteration: number,
  round: 1,
  successRate,
  passed: Math.round(successRate * 15),
  total: 15,
  interval: [0.36, 0.8],
  layers: { '1': 1, '2': 0, '3': 2, '4': 0 },
  returned,
});
export const compaction = (outcome: 'started' | 'accepted' | 'refused'): ProgressEvent => ({
  type: 'compaction',
  agent: 'init',
  outcome,
  tokensBefore: 18_240,
  tokensAfter: 6120,
  detail: '14 steps summarised',
});
export const step = (agent: string): ProgressEvent => ({
  type: 'step',
  agent,
  step: 4,
  tools: ['read', 'write'],
  contextTokens: 9000,
  triggerTokens: 18_000,
});
export const sampleDone = (done: number, outcome: 'pass' | 'fail' | 'unscored', total = 15): ProgressEvent => ({
  type: 'sample',
  iteration: 2,
  sample: `s-${done}`,
  trial: 1,
  outcome,
  done,
  total,
});
export const gate = (
  outcome: Extract<ProgressEvent, { type: 'gate' }>['outcome'],
  actor = 'user:ada',
): ProgressEvent => ({
  type: 'gate',
  gate: 'HITL-1.r1',
  outcome,
  actor,
  comment: outcome === 'approve' ? 'mind R4' : '',
  digest: '4be2a9c01f77d3aa51e0',
});

export const STORY: ProgressEvent[] = [
  RUN,
  { type: 'phase', phase: 'design', round: 1, iteration: 0 },
  step('init'),
  compaction('accepted'),
  gate('opened', ''),
  gate('approve', 'policy:demo'),
  iteration(1, 0.6),
  { type: 'phase', phase: 'evaluate', round: 1, iteration: 2 },
  step('execute'),
  { type: 'spend', totalUsd: 0.92, calls: 71 },
  sampleDone(1, 'pass'),
  sampleDone(2, 'fail'),
];
