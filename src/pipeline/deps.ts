/** What the pipeline works with; the composition root fills it in. */
import type { Reviewers } from '../config/reviewers.ts';
import type { Config } from '../config/schema.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import type { Prompts } from '../config/load-prompts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Memory } from '../ports/memory.ts';
import type { JobQueue, TrialLane } from '../ports/job-queue.ts';
import type { Model, ModelCatalogue } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { ToolHost } from '../ports/tool-host.ts';
import type { LaneModels } from './worker-wake.ts';

/** A folder that an agent sees under a name relative to the run. */
export type Mount = { logical: string; physical: string; writable: boolean };

/** Enough to look at runs and to decide at gates; nothing here can call a model. */
export type ReadDeps = {
  store: RunStore;
  clock: Clock;
  progress: Progress;
};

/** Enough to carry a run on. */
export type Deps = ReadDeps & {
  queue: JobQueue;
  /** True when other processes work on the runs and this one only wakes them. */
  handedOver: boolean;
  /** Workers share the trials of every evaluation on it; absent: all are played here. */
  trials?: TrialLane;
  /** Which models a run that is handed over needs, for the lanes that it waits in. */
  laneModels?: LaneModels;
  model: Model;
  catalogue: ModelCatalogue;
  /** Opened when generated code has to run for the first time. */
  sandbox: () => Promise<Sandbox>;
  fileTools: (mounts: readonly Mount[]) => ToolHost;
  agents: { init: LoadedAgent; execute: LoadedAgent };
  prompts: Prompts;
  config: Config;
  /** Who may decide and how many must; absent: one person, anybody. */
  reviewers?: Reviewers;
  /** True when the offline model answers; stands in every report. */
  simulated: boolean;
  /** The address without key, for screens and reports. */
  endpoint: string;
  /** What earlier sessions of a scenario said; the caller closes it. Absent: nothing is remembered. */
  memoryOf?: (scenario: string) => Promise<Memory>;
  /** Spans for whoever watches; absent or silent unless it is switched on. */
  telemetry?: Telemetry;
};
