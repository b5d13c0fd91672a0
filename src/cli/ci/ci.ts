/** Everything about one invocation that a CI job asked for, opened before the work begins. */
import type { AppOptions } from '../../app/open-app.ts';
import { readBaselineSource, type BaselineSource } from './baseline.ts';
import { ciPlan, type CiOptions, type CiPlan } from './options.ts';
import { suspendWorkflowCommands } from './outputs.ts';
import { timeSlice, type Slice } from './time-slice.ts';
import type { Io } from '../io.ts';

export type Ci = {
  plan: CiPlan;
  slice: Slice;
  held: BaselineSource | undefined;
  /** How the models are opened. */
  models: Pick<AppOptions, 'signal' | 'traffic' | 'around'>;
  takeCommands: () => void;
  close: () => void;
};

export async function openCi(options: CiOptions, io: Io, signal: AbortSignal): Promise<Ci> {
  const plan = ciPlan(options, io.cwd);
  const held = plan.baseline === undefined ? undefined : await readBaselineSource(plan.baseline, io);
  const slice = timeSlice(plan.sliceMs, signal);
  const takeCommands = suspendWorkflowCommands(io);
  return {
    plan,
    slice,
    held,
    models: { signal: slice.signal, traffic: plan.traffic, around: slice.around },
    takeCommands,
    close: () => {
      slice.close();
      takeCommands();
    },
  };
}
