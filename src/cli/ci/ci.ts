/** What a CI job sets on the command line, opened before the work begins. */
import type { AppOptions } from '../../app/open-app.ts';
import type { Traffic } from '../../app/models/open-models.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Results } from '../../scenario/result.ts';
import type { BaselineCheck } from './baseline.ts';
import { ciPlan, type CiOptions, type CiPlan } from './options.ts';
import { suspendWorkflowCommands } from './outputs.ts';
import { timeSlice, type Slice } from './time-slice.ts';
import type { Io } from '../io.ts';

export type Ci = {
  plan: CiPlan;
  slice: Slice;
  /** With `--baseline` only. */
  checkBaseline: ((results: Results) => BaselineCheck) | undefined;
  /** How the models are opened. */
  models: Pick<AppOptions, 'signal' | 'traffic' | 'around'>;
  /** `--record` begins an empty folder: `usage` for one that holds a recording. */
  refuseUsedRecording: () => Promise<void>;
  /** From here on GitHub takes workflow commands from the output again. */
  takeCommands: () => void;
  close: () => void;
};

export async function openCi(options: CiOptions, io: Io, signal: AbortSignal): Promise<Ci> {
  const plan = ciPlan(options, io.cwd);
  const checkBaseline = plan.baseline === undefined ? undefined : await openBaseline(plan.baseline, io);
  const slice = timeSlice(plan.sliceMs, signal);
  const takeCommands = suspendWorkflowCommands(io);
  return {
    plan,
    slice,
    checkBaseline,
    models: { signal: slice.signal, traffic: plan.traffic, around: slice.around },
    refuseUsedRecording: async () => {
      if (plan.traffic.record === undefined) return;
      const { refuseUsedRecording } = await import('../../app/models/offline-model.ts');
      await refuseUsedRecording(plan.traffic.record);
    },
    takeCommands,
    close: () => {
      slice.close();
      takeCommands();
    },
  };
}

async function openBaseline(name: string, io: Io): Promise<(results: Results) => BaselineCheck> {
  const { readBaselineSource, checkAgainstBaseline } = await import('./baseline.ts');
  const source = await readBaselineSource(name, io);
  return (results) => checkAgainstBaseline(source, results);
}

/** A replay of runs that continue answers their next calls, not their first ones. */
export async function resumeTraffic(traffic: Traffic, runs: readonly RunFolder[]): Promise<Traffic> {
  if (traffic.replay === undefined) return traffic;
  const { answeredCalls } = await import('../../pipeline/spending/answered-call-counts.ts');
  return { ...traffic, answered: await answeredCalls(runs) };
}
