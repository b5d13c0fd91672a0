/** The economy port: model calls that wait for a batch, at half the price. */
import type { SharedFiles } from './shared-files.ts';
import type { Model } from './model.ts';

export type EconomyLane = {
  /** Absolute folder of the run or the evaluation. */
  dir: string;
  /** Files in which the state of its batches is recorded. */
  files: SharedFiles;
  /** Name of one conversation, the same whenever the run goes on: `execute.i1/subject/late-refund.1`. */
  name: string;
  /** Receives a message for people about what is waited for. */
  tell: (detail: string) => void;
};

export interface Economy {
  /**
   * Returns a model for one conversation. Contract: a later process that asks the same on the same lane gets the
   * batch's answer, and nothing is paid twice; an abort leaves a batch that was sent as it is.
   */
  model(lane: EconomyLane): Model;
}
