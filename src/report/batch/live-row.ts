/** A row of a batch during its run, updated by progress events and replaced by the state on disk at rest. */
import { omitUndefined } from '../../omit-undefined.ts';
import type { ProgressEvent } from '../../run/progress-event.ts';
import type { BatchRow } from './summary.ts';
import type { BatchProgress } from './terminal.ts';
import { renderLine } from '../live/render-line.ts';

export type LiveRow = { row: BatchRow; now: BatchProgress | undefined };

const PHASES = {
  design: 'Init designs',
  execute: 'Execute writes components',
  verify: 'components are verified',
  evaluate: 'samples run',
} as const;

export function updateLiveRow({ row, now }: LiveRow, event: ProgressEvent): LiveRow {
  switch (event.type) {
    case 'phase': {
      const status = event.phase === 'design' ? 'designing' : 'executing';
      const { gate: _answered, ...rest } = row;
      return {
        row: { ...rest, status, round: event.round, iteration: event.iteration },
        now: { text: PHASES[event.phase] },
      };
    }
    case 'step':
      return { row, now: { text: `${event.agent} step ${event.step} ${event.tools.join(' ')}`.trimEnd() } };
    case 'sample':
      return { row, now: { share: event.done / event.total, text: `${event.done} of ${event.total} trials` } };
    case 'spend':
      return {
        row: {
          ...row,
          usd: event.totalUsd,
          ...omitUndefined({ uncertainUsd: event.uncertainUsd }),
          calls: event.calls,
        },
        now,
      };
    case 'iteration': {
      const { successRate: value, interval, passed, total, layers } = event;
      const rate = { value, interval, passed, total, unscored: 0 };
      return {
        row: { ...row, ...(total > 0 && { rate }), layers: { ...layers } },
        now: { text: renderLine(event) ?? '' },
      };
    }
    case 'gate':
      return event.outcome === 'opened' || event.outcome === 'undone'
        ? { row: { ...row, status: 'awaiting_approval' }, now: undefined }
        : { row, now };
    case 'retry':
    case 'wait':
    case 'compaction':
    case 'state':
      return { row, now: { text: renderLine(event) ?? now?.text ?? '' } };
    default:
      return { row, now };
  }
}
