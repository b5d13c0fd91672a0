/** The next step of a run in any state: one sentence, and one button or command, the same on pages and terminals. */
import type { ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import type { RunState } from '../../run/state.ts';

/** `no_worker`: the run was handed to workers, and none of them is there. */
export type RunCarrier = 'workers' | 'no_worker' | 'process' | 'nothing';

export type NextStep = {
  text: string;
  command: string;
  /** Set where a button does it: `decide` leads to the gate, `results` to the samples, `retry` goes on with the run. */
  button?: 'decide' | 'results' | 'retry';
  /** True when it no longer holds once work begins. */
  isIdle?: true;
};

/**
 * `run` is the name that commands take; with `canStart` the reader may let this server carry the run on; `verdict` is that of
 * the newest results, where the caller has read them.
 */
export type NextStepInput = {
  run: string;
  state: RunState;
  carrier: RunCarrier;
  canStart?: boolean;
  verdict?: ResultsVerdict | undefined;
};

export function describeNextStep({ run, state, carrier, verdict, canStart = false }: NextStepInput): NextStep {
  const resume = `tandem resume ${run}`;
  const goOn = (text: string, isCarried: boolean): NextStep =>
    isCarried || canStart ? { text, command: resume, button: 'retry' } : { text, command: resume };
  const areWorkers = carrier === 'workers' || carrier === 'no_worker';
  switch (state.status) {
    case 'awaiting_approval':
      return { text: 'Read the design, then decide:', command: `tandem gates show ${run}`, button: 'decide' };
    case 'paused':
      return state.pause.reason === 'budget'
        ? { text: 'The money cap is reached. Go on with $5 more:', command: `${resume} --raise 5` }
        : goOn('Go on where it was:', areWorkers);
    case 'errored':
      return goOn('Try the failed step again:', areWorkers);
    case 'created':
    case 'designing':
    case 'executing':
      return describeLiveStep(run, carrier, { ...goOn('Nothing is running it. Start it:', false), isIdle: true });
    case 'succeeded':
    case 'failed':
      return describeResultsStep(run, verdict ?? (state.status === 'succeeded' ? 'met' : 'not met'));
    default:
      return { text: 'The run has ended. Make a new run of it:', command: `tandem fork ${run}` };
  }
}

const READ: Readonly<Record<ResultsVerdict, string>> = {
  met: 'The run has ended. Read what passed and what failed:',
  'not met': 'The run has ended. Read what failed, and why:',
  incomplete: 'The run has ended. Read what has no verdict, and why:',
  disputed: 'The run has ended. Settle the verdicts in doubt:',
};

function describeResultsStep(run: string, verdict: ResultsVerdict): NextStep {
  const command = verdict === 'disputed' ? `tandem label ${run}` : `tandem report ${run}`;
  return { text: READ[verdict], command, button: 'results' };
}

function describeLiveStep(run: string, carrier: RunCarrier, start: NextStep): NextStep {
  switch (carrier) {
    case 'workers':
      return { text: 'Workers go on with it: nothing is to be done. Where it is:', command: `tandem queue why ${run}` };
    case 'no_worker':
      return { text: 'It was handed to workers, and none is running. Start one:', command: 'tandem worker' };
    case 'process':
      return { text: 'It is being worked on: nothing is to be done. Look at it:', command: `tandem status ${run}` };
    default:
      return start;
  }
}
