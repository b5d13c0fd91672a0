/** Counts retries, and changes of what models are shown, on their way to the screen. */
import type { Progress } from '../../ports/progress.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export function countRetries(progress: Progress, telemetry: Telemetry): Progress {
  return (event) => {
    // A worker names it `step of <run>`, which would make a new series for each run.
    if (event.type === 'retry')
      telemetry.count('tandem.retries', 1, { 'tandem.retry.what': event.what.replace(/ of .*/, '') });
    if (event.type === 'context')
      telemetry.count('tandem.context.changes', 1, {
        'gen_ai.agent.name': event.agent.split('/')[0] ?? '',
        'tandem.change': event.change.type,
      });
    progress(event);
  };
}
