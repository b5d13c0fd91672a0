/** The live screen of a run on a terminal: phase, success rate, cost, and the fill of each context. */
import {
  formatBar,
  formatCount,
  formatDuration,
  iterationRate,
  paidText,
  formatSparkline,
  formatTokens,
} from '../text/number-format.ts';
import { formatPercent, reachesTarget } from '../../scenario/percent.ts';
import {
  createPaint,
  createRowFormatter,
  formatJustifiedRow,
  type Paint,
  type RowFormatter,
  type Span,
  type Style,
} from '../text/terminal-colors.ts';
import type { ProgressEvent } from '../../run/progress-event.ts';
import { type AgentView, type ProgressView, EMPTY_VIEW, reduceProgress } from './progress-view.ts';
import { isLane, renderLine } from './render-line.ts';
import { padEnd } from '../text/width.ts';

const LABEL_WIDTH = 10;
const MOST_LANES = 3;

export function renderLive(view: ProgressView, columns: number, paint: Paint = createPaint(false)): string[] {
  const width = Math.max(1, Math.floor(columns) || 1);
  const row = createRowFormatter(width, paint);
  const agents = shownAgents(view.agents).map((agent): LabelledRow => [agent.agent, ...agentSpans(agent, width)]);
  const rows = [phaseRow(view), samplesRow(view, width), rateRow(view), costRow(view), ...agents];
  return [
    titleRow(view, width, paint),
    ...rows.flatMap(([name, ...spans]) =>
      spans.length === 0 ? [] : [row(['dim', padEnd(name, LABEL_WIDTH)], ...spans)],
    ),
    ...view.news.flatMap((event) => newsRow(event, row)),
  ];
}

/** Shows all agents and the newest sub-agents, because a run may have had hundreds. */
function shownAgents(agents: readonly AgentView[]): AgentView[] {
  const newest = agents.filter(({ agent }) => isLane(agent)).slice(-MOST_LANES);
  return agents.filter((one) => !isLane(one.agent) || newest.includes(one));
}

type LabelledRow = readonly [name: string, ...spans: Span[]];

function titleRow({ run }: ProgressView, width: number, paint: Paint): string {
  const simulated: Span[] = run?.simulated === true ? [['loud', ' SIMULATED '], ' '] : [];
  const name: Span[] = [['bold', run?.scenario ?? 'tandem']];
  return formatJustifiedRow(
    { left: [...simulated, ...name], right: run === undefined ? [] : [['dim', run.run]] },
    width,
    paint,
  );
}

const PHASES = {
  design: 'Init designs',
  execute: 'Execute builds tools, checkers and samples',
  verify: 'components are verified without a model',
  evaluate: 'samples run through the subject',
} as const;

function phaseRow({ phase, gate, state }: ProgressView): LabelledRow {
  if (gate !== undefined) return ['gate', ['warn', `${gate} waits for a decision`]];
  if (state !== undefined) return ['state', [getStatusStyle(state.status), state.status.replaceAll('_', ' ')]];
  if (phase === undefined) return ['phase'];
  const where =
    phase.phase === 'design' ? `round ${phase.round}` : `round ${phase.round}, iteration ${phase.iteration}`;
  return ['phase', ['accent', PHASES[phase.phase]], ['dim', `  ${where}`]];
}

function getStatusStyle(status: string): Style {
  if (status === 'succeeded') return 'good';
  return ['failed', 'rejected', 'expired', 'errored'].includes(status) ? 'bad' : 'warn';
}

function samplesRow({ samples }: ProgressView, width: number): LabelledRow {
  if (samples === undefined) return ['samples'];
  const { done, total, failed, unscored } = samples;
  return [
    'samples',
    ['accent', formatBar(total === 0 ? 0 : done / total, barWidth(width))],
    ` ${done} of ${total}`,
    ...(failed > 0 ? [['bad', `  ${failed} failed`] as const] : []),
    ...(unscored > 0 ? [['warn', `  ${unscored} unscored`] as const] : []),
  ];
}

const barWidth = (width: number) => Math.min(30, Math.max(6, width - 50));

function rateRow({ iterations, run }: ProgressView): LabelledRow {
  const last = iterations.at(-1);
  if (last === undefined) return ['rate'];
  const met = run?.target !== undefined && reachesTarget(last.successRate, run.target);
  const shown = iterations.slice(-24);
  return [
    'rate',
    [met ? 'good' : 'accent', formatSparkline(shown.map(({ successRate }) => successRate))],
    ...shown.slice(-4).map((one): Span => `  ${iterationRate(one)}`),
    ...(run?.target === undefined ? [] : [['dim', `  target ${formatPercent(run.target)}`] as const]),
  ];
}

function costRow({ spend }: ProgressView): LabelledRow {
  return [
    'cost',
    paidText({ usd: spend.totalUsd, uncertainUsd: spend.uncertainUsd }),
    ['dim', `  ${formatCount(spend.calls, 'model call')}`],
  ];
}

function agentSpans(agent: AgentView, width: number): Span[] {
  const { contextTokens, triggerTokens, compactions, refused, tokensSaved } = agent;
  const share = triggerTokens === 0 ? 0 : contextTokens / triggerTokens;
  const fill: Span = [share > 0.85 ? 'warn' : 'accent', formatBar(share, Math.min(16, barWidth(width)))];
  return [
    fill,
    ` ${formatTokens(contextTokens)} of ${formatTokens(triggerTokens)}`,
    ...(agent.compacting ? [['design', '  compacting…'] as const] : []),
    ...(compactions > 0
      ? [['design', `  ${formatCount(compactions, 'compaction')}, ${formatTokens(tokensSaved)} tokens freed`] as const]
      : []),
    ...(refused > 0 ? [['warn', `  ${refused} refused`] as const] : []),
    ['dim', `  step ${agent.steps}${agent.tools.length === 0 ? '' : ` ${agent.tools.join(', ')}`}`],
  ];
}

function newsRow(event: ProgressEvent, row: RowFormatter): string[] {
  const line = renderLine(event);
  return line === undefined ? [] : [row(['dim', '· '], [newsStyle(event), line])];
}

function newsStyle(event: ProgressEvent): Style {
  if (event.type === 'compaction') return event.outcome === 'refused' ? 'warn' : 'design';
  if (event.type === 'retry' || event.type === 'wait' || event.type === 'sample') return 'warn';
  if (event.type === 'verified') return event.ok ? 'good' : 'warn';
  if (event.type === 'gate') return event.outcome === 'reject' || event.outcome === 'expired' ? 'bad' : 'accent';
  return event.type === 'state' ? getStatusStyle(event.status) : 'dim';
}

/** Each returns the rows that replace the block drawn before. */
type ProgressScreen = {
  feed(event: ProgressEvent): string[];
  /** Redraws after the window changed its width. */
  resize(columns: number): string[];
  /** Returns the rows that stay on a terminal when the work ends: a line for each thing that happened; the report says the rest. */
  close(): string[];
  /** The screen after no event for that many milliseconds. */
  silent(milliseconds: number): string[];
};

export function createProgressView(options: { columns: number; color: boolean }): ProgressScreen {
  const paint = createPaint(options.color);
  let columns = options.columns;
  let view: ProgressView = EMPTY_VIEW;
  const drawn = (): string[] => renderLive(view, columns, paint);
  return {
    feed(event) {
      view = reduceProgress(view, event);
      return drawn();
    },
    resize(width) {
      columns = width;
      return drawn();
    },
    close() {
      const rows = view.milestones.flatMap((event) => newsRow(event, createRowFormatter(columns, paint)));
      return rows.length === 0 ? drawn() : rows;
    },
    silent(milliseconds) {
      const words = `no news for ${formatDuration(Math.floor(milliseconds / 1000) * 1000)}; Ctrl-C stops, and nothing is lost`;
      return [...drawn(), createRowFormatter(columns, paint)(['dim', words])];
    },
  };
}
