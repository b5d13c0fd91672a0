/** What the pipeline works with; the composition root fills it in. */
import type { Reviewers } from '../config/reviewers.ts';
import type { Config } from '../config/schema.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import type { Prompts } from '../config/load-prompts.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Model, ModelCatalogue } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { ToolHost } from '../ports/tool-host.ts';

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
  /** Spans for whoever watches; absent or silent unless it is switched on. */
  telemetry?: Telemetry;
};
