/** Dependencies of the pipeline, filled in by the composition root. */
import type { Reviewers } from '../config/reviewers.ts';
import type { Config } from '../config/schema.ts';
import type { EvaluateInput } from '../evaluation/evaluate.ts';
import type { Attempt } from '../ports/artifacts.ts';
import type { Model, ModelCatalogue } from '../ports/model.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Progress } from '../ports/progress.ts';
import type { RunFolder, ReadDeps } from '../ports/run-store.ts';
import type { RunState } from '../run/state.ts';
import type { Brief } from '../scenario/brief.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import type { PromptTexts } from '../config/load-prompts.ts';
import type { Memory } from '../ports/memory.ts';
import type { JobQueue, JobPriority } from '../ports/job-queue.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SubjectHosts } from '../ports/subject.ts';
import type { Mount, ToolHost } from '../ports/tools/tool-host.ts';
import type { OpenToolWorlds } from '../ports/tools/tool-worlds.ts';
import type { ToolServers } from '../ports/tools/tool-servers.ts';
import type { LaneModels } from '../run-folder/hand-over.ts';

/** Tells when a trial of this worker may be played or its record read, while other workers play the rest. */
export type TrialSharing = Required<Pick<EvaluateInput, 'turnOf'>> & Pick<EvaluateInput, 'aroundTrial'>;

export type ShareTrials = (
  run: Pick<RunFolder, 'id' | 'read'>,
  attempt: Attempt,
  /** A trial without an end for `silenceMs` is put on the queue again, because the queue may have lost it. */
  options: { silenceMs: number; progress: Progress; aroundTrial: EvaluateInput['aroundTrial'] },
) => Promise<TrialSharing>;

/** A step of a run while it is being made. */
export type StepContext = { run: RunFolder; state: RunState; brief: Brief; deps: Deps; signal: AbortSignal };

/** Dependencies that suffice to carry a run on. */
export type Deps = ReadDeps & {
  queue: JobQueue;
  /** True when other processes work on the runs and this one only wakes them. */
  handedOver: boolean;
  /** Shares the trials of every evaluation among workers; all are played here when absent. */
  trials?: ShareTrials;
  /** The models that a handed-over run needs, for the queue lanes in which it waits. */
  laneModels?: LaneModels;
  /** Priority of a handed-over run in the queue. */
  turn?: JobPriority;
  model: Model;
  catalogue: ModelCatalogue;
  /** Opens the sandbox when generated code has to run for the first time. */
  sandbox: () => Promise<Sandbox>;
  fileTools: (mounts: readonly Mount[]) => ToolHost;
  /** Servers of tools that agents may name; none when absent. */
  toolServers?: ToolServers;
  /** Servers of tools that a scenario names for its subject; none when absent. */
  toolWorlds?: OpenToolWorlds;
  agents: { init: LoadedAgent; execute: LoadedAgent };
  prompts: PromptTexts;
  subjects: SubjectHosts;
  config: Config;
  /** People who may decide, and how many must; any one person when absent. */
  reviewers?: Reviewers;
  /** True when the offline model answers; every report says so. */
  simulated: boolean;
  /** Address without the key, for screens and reports. */
  endpoint: string;
  /** Opens the index of a scenario's earlier sessions; the caller closes it. Nothing is remembered when absent. */
  memoryOf?: (scenario: string) => Promise<Memory>;
  /** Receives spans of the work; absent or silent unless telemetry is switched on. */
  telemetry?: Telemetry;
};
