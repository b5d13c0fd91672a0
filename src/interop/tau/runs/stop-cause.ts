/** How a recorded run ended, in the words of our traces. */
import type { TraceLine } from '../../../scenario/trace.ts';
import type { RecordedRun } from './recorded-run.ts';

type Stop = Extract<TraceLine, { type: 'end' }>['stop'];

/** An outage is nobody's failure: such a run is unscored with us, whatever its benchmark counts. */
export function stopOf({ termination }: RecordedRun): Stop {
  if (/^(stop|transfer|user_stop|agent_stop)$/.test(termination)) return 'done';
  if (termination.includes('infrastructure')) return 'infrastructure';
  return termination.includes('timeout') ? 'seconds' : 'steps';
}
