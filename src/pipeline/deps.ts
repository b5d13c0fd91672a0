/** What the pipeline works with; the composition root fills it in. */
import type { Reviewers } from '../config/reviewers.ts';
import type { Config } from '../config/schema.ts';
import type { EvaluateInput } from '../evaluation/evaluate.ts';
import type { Attempt } from '../ports/artifacts.ts';
import type { Economy } from '../ports/economy.ts';
import type { Progress } from '../ports/progress.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunState } from '../run/state.ts';
import type { Brief } from '../scenario/brief.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import type { PromptTexts } from '../config/load-prompts.ts';
import type { Memory } from '../ports/memory.ts';
import type { JobQueue, Turn } from '../ports/job-queue.ts';
import type { Model, ModelCatalogue } from '../ports/model.ts';
import type { OpenGrader } from '../ports/plugins/plugins.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SubjectHosts } from '../ports/subject.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Mount, ToolHost } from '../ports/tools/tool-host.ts';
import type { ToolServers } from '../ports/tools/tool-servers.ts';
import type { OpenToolWorlds } from '../ports/tools/tool-worlds.ts';
import type { LaneModels } from '../run-folder/hand-over.ts';

/** When a trial of this worker may be played, or its record read: other workers play the rest. */
export type TrialTurns = Required<Pick<EvaluateInput, 'turnOf'>> & Pick<EvaluateInput, 'aroundTrial'>;

export type ShareTrials = (
  run: Pick<RunFolder, 'id' | 'read'>,
  attempt: Attempt,
  /** A trial that showed no end for `silenceMs` is put on the queue again: the queue may have forgotten it. */
  options: { silenceMs: number; progress: Progress; aroundTrial: EvaluateInput['aroundTrial'] },
) => Promise<TrialTurns>;

/** A step of a run while it is being made. */
export type StepContext = { run: RunFolder; state: RunState; brief: Brief; deps: Deps; signal: AbortSignal };

/** Enough to carry a run on. */
export type Deps = ReadDeps & {
  queue: JobQueue;
  /** True when other processes work on the runs and this one only wakes them. */
  handedOver: boolean;
  /** Workers share the trials of every evaluation on it; absent: all are played here. */
  trials?: ShareTrials;
  /** Which models a run that is handed over needs, for the lanes that it waits in. */
  laneModels?: LaneModels;
  /** When the turn of a run comes that is handed over. */
  turn?: Turn;
  model: Model;
  /** Where calls of subjects and users go; absent: they are live. */
  economy?: Economy;
  catalogue: ModelCatalogue;
  /** Opened when generated code has to run for the first time. */
  sandbox: () => Promise<Sandbox>;
  fileTools: (mounts: readonly Mount[]) => ToolHost;
  /** Servers of tools that agents may name; absent: there are none. */
  toolServers?: ToolServers;
  /** Servers of tools that a scenario names for its subject; absent: there are none. */
  toolWorlds?: OpenToolWorlds;
  agents: { init: LoadedAgent; execute: LoadedAgent };
  prompts: PromptTexts;
  subjects: SubjectHosts;
  /** Plugins that answer for graders; absent: there are none. */
  graderOf?: OpenGrader;
  config: Config;
  /** Who may decide and how many must; absent: any one person. */
  reviewers?: Reviewers;
  /** True when the offline model answers; every report says so. */
  simulated: boolean;
  /** The address without key, for screens and reports. */
  endpoint: string;
  /** The index of earlier sessions of a scenario; the caller closes it. Absent: nothing is remembered. */
  memoryOf?: (scenario: string) => Promise<Memory>;
  /** Spans of what is done; absent or silent unless telemetry is switched on. */
  telemetry?: Telemetry;
};
