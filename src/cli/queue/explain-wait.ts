/** Explains in one or two sentences where a run waits, for what, since when, and what to do. */
import type { NextLane, QueuePosition } from '../../ports/job-queue.ts';
import type { RunState } from '../../run/state.ts';

const WORDS = { init: 'a design (Init)', execute: 'an iteration (Execute)' } as const;

export function explainWait(
  { lane, model }: NextLane,
  { state, since, until, workers, handedBack }: QueuePosition,
): string {
  const what = `${WORDS[lane]}${model === undefined ? '' : ` with ${model}`}`;
  const back = handedBack.map(({ worker, why }) => ` ${worker} gave it back: ${why}`).join('');
  if (state === 'active') return `A worker is at ${what}${formatSince(since)}.${back}`;
  const nobody = workers === 0 ? ` No worker takes such steps: tandem worker --${lane}, with that model.` : '';
  if (state === 'delayed') return `It waits for ${what}, and is offered to workers again at ${until}.${back}${nobody}`;
  if (state === 'waiting') {
    const busy =
      workers === undefined || workers === 0
        ? ''
        : ` ${workers === 1 ? 'One worker takes' : `${workers} workers take`} such steps, and all places are taken.`;
    return `It waits for a worker for ${what}${formatSince(since)}.${busy}${back}${nobody}`;
  }
  return `It waits for ${what}, and the queue holds nothing of it: a worker that sees the folder puts it back within reconcile_ms.${back}${nobody}`;
}

function formatSince(since: string | undefined): string {
  return since === undefined ? '' : ` since ${since}`;
}

/** Explains why no worker could carry the run on now. */
export function explainRest(run: string, state: RunState): string {
  switch (state.status) {
    case 'awaiting_approval':
      return `It waits for a person at ${state.gate.id} since ${state.gate.openedAt}: tandem gates review ${run}.`;
    case 'paused':
      return `It was paused at ${state.pause.at} by ${state.pause.actor}: ${withFullStop(state.pause.detail)} Go on: tandem resume ${run}.`;
    case 'errored':
      return `It stopped: ${withFullStop(state.failure.message)} Go on: tandem resume ${run}.`;
    default:
      return 'It has ended: nothing is to be done.';
  }
}

/** Adds a full stop to a message of a person, a provider or the program if it has none. */
function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
