/** The economy port: model calls that wait for a batch, at half the price. */
import type { Model } from './model.ts';
import type { SharedFiles } from './shared-files.ts';

export type EconomyLane = {
  /** Absolute folder of the run or the evaluation. */
  dir: string;
  /** Its files, among which is written down what its batches are. */
  files: SharedFiles;
  /** Of one conversation, the same whenever the run goes on: `execute.i1/subject/late-refund.1`. */
  name: string;
  /** What is waited for, in words for people. */
  tell: (detail: string) => void;
};

export interface Economy {
  /**
   * A model for one conversation. Contract: what a batch answered is found again by a later process that asks the same on
   * the same lane, and nothing is paid twice; an abort leaves a batch that was sent as it is.
   */
  model(lane: EconomyLane): Model;
}
