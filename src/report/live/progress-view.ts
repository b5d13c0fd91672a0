/** Reduces progress events to the view of a run that a watching person needs. */
import type { ProgressEvent } from '../../run/progress-event.ts';

export type EventOfType<Type extends ProgressEvent['type']> = Extract<ProgressEvent, { type: Type }>;

export type AgentView = {
  agent: string;
  steps: number;
  tools: readonly string[];
  contextTokens: number;
  triggerTokens: number;
  compacting: boolean;
  compactions: number;
  refused: number;
  tokensSaved: number;
};

export type ProgressView = {
  run?: EventOfType<'run'>;
  phase?: EventOfType<'phase'>;
  samples?: { iteration: number; done: number; total: number; failed: number; unscored: number };
  iterations: readonly EventOfType<'iteration'>[];
  agents: readonly AgentView[];
  spend: { totalUsd: number; uncertainUsd?: number | undefined; calls: number };
  /** The id of the waiting gate, if any. */
  gate?: string;
  state?: EventOfType<'state'>;
  /** The newest changes of the run, oldest first. */
  news: readonly ProgressEvent[];
  /** Events that a reader of the finished run still wants to know: decisions, iterations, ends and notices, oldest first. */
  milestones: readonly ProgressEvent[];
};

export const EMPTY_VIEW: ProgressView = {
  iterations: [],
  agents: [],
  spend: { totalUsd: 0, calls: 0 },
  news: [],
  milestones: [],
};

const MAX_NEWS = 6;

export function reduceProgress(view: ProgressView, event: ProgressEvent): ProgressView {
  const next = applyEvent(view, event);
  const news = isNews(event) ? [...next.news, event].slice(-MAX_NEWS) : next.news;
  return { ...next, news, milestones: isMilestone(event) ? [...next.milestones, event] : next.milestones };
}

/** True for events that change the run; a step, a payment or one sample among many does not. */
function isNews(event: ProgressEvent): boolean {
  if (event.type === 'compaction') return event.outcome !== 'started';
  if (event.type === 'sample') return event.outcome === 'unscored';
  if (event.type === 'context') return event.change.type === 'layer_changed';
  return event.type !== 'step' && event.type !== 'spend' && event.type !== 'run';
}

/** The gate's opening counts only while nobody has answered it, and the line of the decision says the rest. */
function isMilestone(event: ProgressEvent): boolean {
  if (event.type === 'gate') return event.outcome !== 'opened';
  return event.type === 'iteration' || event.type === 'state';
}

function applyEvent(view: ProgressView, event: ProgressEvent): ProgressView {
  switch (event.type) {
    case 'run':
      return { ...view, run: event };
    case 'phase':
      return withoutSamples({ ...view, phase: event }, event.iteration);
    case 'step':
    case 'compaction':
      return { ...view, agents: withAgent(view.agents, event) };
    case 'spend':
      return { ...view, spend: { totalUsd: event.totalUsd, uncertainUsd: event.uncertainUsd, calls: event.calls } };
    case 'sample':
      return { ...view, samples: countSample(view.samples, event) };
    case 'iteration':
      return { ...view, iterations: [...view.iterations.filter((one) => one.iteration !== event.iteration), event] };
    case 'gate':
      return withGate(view, event);
    case 'verified':
      return event.ok || view.phase === undefined ? view : { ...view, phase: { ...view.phase, phase: 'execute' } };
    case 'state':
      return { ...view, state: event };
    default:
      return view;
  }
}

function withoutSamples(view: ProgressView, iteration: number): ProgressView {
  const { samples, ...rest } = view;
  return samples?.iteration === iteration ? view : rest;
}

function withGate(view: ProgressView, { gate, outcome }: EventOfType<'gate'>): ProgressView {
  const { gate: _closed, ...rest } = view;
  return outcome === 'opened' || outcome === 'undone' ? { ...rest, gate } : rest;
}

function countSample(
  before: ProgressView['samples'],
  event: EventOfType<'sample'>,
): NonNullable<ProgressView['samples']> {
  const same = before?.iteration === event.iteration ? before : { failed: 0, unscored: 0 };
  return {
    iteration: event.iteration,
    done: event.done,
    total: event.total,
    failed: same.failed + (event.outcome === 'fail' ? 1 : 0),
    unscored: same.unscored + (event.outcome === 'unscored' ? 1 : 0),
  };
}

function withAgent(agents: readonly AgentView[], event: EventOfType<'step'> | EventOfType<'compaction'>): AgentView[] {
  const before = agents.find(({ agent }) => agent === event.agent) ?? newAgent(event.agent);
  const after = event.type === 'step' ? applyStep(before, event) : applyCompaction(before, event);
  return agents.some(({ agent }) => agent === event.agent)
    ? agents.map((one) => (one.agent === event.agent ? after : one))
    : [...agents, after];
}

function newAgent(agent: string): AgentView {
  const none = { steps: 0, contextTokens: 0, triggerTokens: 0, compactions: 0, refused: 0, tokensSaved: 0 };
  return { agent, tools: [], compacting: false, ...none };
}

function applyStep(agent: AgentView, { step, tools, contextTokens, triggerTokens }: EventOfType<'step'>): AgentView {
  return { ...agent, steps: step, tools, contextTokens, triggerTokens, compacting: false };
}

function applyCompaction(
  agent: AgentView,
  { outcome, tokensBefore, tokensAfter }: EventOfType<'compaction'>,
): AgentView {
  if (outcome === 'started') return { ...agent, compacting: true };
  if (outcome === 'refused') return { ...agent, compacting: false, refused: agent.refused + 1 };
  return {
    ...agent,
    compacting: false,
    contextTokens: tokensAfter,
    compactions: agent.compactions + 1,
    tokensSaved: agent.tokensSaved + Math.max(0, tokensBefore - tokensAfter),
  };
}
