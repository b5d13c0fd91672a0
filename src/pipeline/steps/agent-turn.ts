/** Builds what an agent needs for a turn, its model, tools and request fitter, in a step of a run, a session and a chat. */
import { createRequestFitter, type FitterOptions } from '../../agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { LayerSources } from '../../agent/layers.ts';
import type { TurnDeps } from '../../agent/loop.ts';
import { pickTools } from '../../agent/run-tools.ts';
import type { AgentConversation, CallLog } from '../../agent/agent-conversation.ts';
import { controlToolHost, type ControlTool } from '../../agent/tools/control-tool.ts';
import { withChangeNotes } from '../../agent/tools/fresh-reads.ts';
import { createRecallTool } from '../../agent/tools/recall.ts';
import { withinSkill } from '../../agent/tools/skill.ts';
import { todoTool } from '../../agent/tools/schemas.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { RunFolder, Clock } from '../../ports/run-store.ts';
import type { Mount, ToolHost } from '../../ports/tools/tool-host.ts';
import type { Deps } from '../deps.ts';
import { tracedTools } from '../spans.ts';
import { buildLayers, buildOtherModel, buildSkills, buildSubagent } from './agent-wiring.ts';
import { getRulesDir, toReminders } from './agent-wiring.ts';
import type { ServerTools } from './server-tools.ts';
import type { ModelFor } from './step-models.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export type TurnParts = {
  run: Pick<RunFolder, 'dir' | 'transcripts'>;
  agent: LoadedAgent;
  /** Name such as `design.r2` or `turn.7`. */
  name: string;
  session: AgentConversation;
  modelFor: ModelFor;
  servers: ServerTools;
  mounts: readonly Mount[];
  /** Wraps the tools that work on files, separately for each lane. */
  onFiles: (host: ToolHost) => ToolHost;
  /** Wraps the result once more for each lane. */
  onLane?: (host: ToolHost, lane: string) => ToolHost;
  controls: readonly ControlTool[];
  recall: LayerSources['recall'];
  /** Returns the rules that a person approved for the run; absent where there is no run. */
  pinned: LayerSources['pinned'];
  /** The folder whose `CODE_LAW.md` counts; default: the run's. */
  rules?: string;
  moment?: NonNullable<FitterOptions['moment']>;
  /** The decision that a person still has to make, for a compaction in this turn (S0.18). */
  openGate?: string | undefined;
  /** How the records of calls name this turn, where that differs from `name`. */
  records?: Omit<CallRecordsOf, 'agent'>;
  deps: Pick<Deps, 'catalogue' | 'clock' | 'fileTools' | 'progress' | 'prompts' | 'telemetry'>;
  signal: AbortSignal;
};

export async function buildTurn(parts: TurnParts): Promise<TurnDeps> {
  const { agent, session, modelFor, servers, moment, recall, pinned, deps, signal, onLane = (host) => host } = parts;
  const { rules = getRulesDir(parts.run), records = { step: parts.name }, openGate } = parts;
  const { definition } = agent;
  const facts = await deps.catalogue.describe(definition.model, signal);
  const model = modelFor(definition.name, definition.name, facts);
  const { tools } = deps.prompts;
  const skills = buildSkills(agent, tools['skill'] ?? '');
  const onDisk = deps.fileTools([...parts.mounts, ...skills.mounts]);
  const files = parts.onFiles(onDisk);
  const filesOf = (lane: AgentConversation) =>
    onLane(
      withinSkill(withChangeNotes(files, lane.entries), () => lane.entries),
      lane.lane,
    );
  const reminders = toReminders(deps.prompts);
  const calls = await openCallLog(
    { ...records, agent: definition.name },
    { run: parts.run, clock: deps.clock, telemetry: deps.telemetry },
  );
  const { name, fallback_model: fallback } = definition;
  const ofSummaries = { model: agent.policy.summary.model, lane: 'summary', agent: name } as const;
  const summarizer = await buildOtherModel(ofSummaries, modelFor, { deps, signal });
  const own = { reminders, calls, recall, pinned, rules, summarizer };
  // Tools that the agent's own skill removes are not available to its sub-agents either.
  const childFiles = (child: AgentConversation) => withinSkill(filesOf(child), () => session.entries);
  const subagentParts = { ...own, agent, filesOf: childFiles, modelFor, servers, deps };
  const subagent = await buildSubagent(session, subagentParts, signal);
  const common = [todoTool(tools['todo_write'] ?? ''), createRecallTool(tools['recall'] ?? '', () => session.all)];
  const controls = controlToolHost([...common, ...skills.tools, ...subagent, ...parts.controls]);
  const named = [filesOf(session), controls].map((host) => pickTools(host, definition.tools));
  const hosts = [...named, servers.hostOf('main', definition.tools)].map((host) =>
    tracedTools(host, definition.name, deps.telemetry),
  );
  const fitter = createRequestFitter({
    ...{ agent, facts, model, calls },
    tools: hosts.flatMap((host) => host.definitions),
    progress: deps.progress,
    layers: buildLayers(agent, { rules, recall, pinned }),
    readable: (path, until) => isReadable(onDisk, path, until),
    ...omitUndefined({ summarizer, moment, openGate }),
  });
  return {
    ...{ agent: definition.name, model, hosts, fitter, reminders },
    maxSteps: definition.max_steps,
    fallback: await buildOtherModel({ model: fallback, lane: 'fallback', agent: name }, modelFor, { deps, signal }),
    progress: deps.progress,
  };
}

/** Accepts a folder too: it cannot be read as a file, but the agent can go on from it. */
async function isReadable(files: ToolHost, path: string, signal: AbortSignal): Promise<boolean> {
  const { content, is_error } = await files.call('read', { file_path: path, view_range: [1, 1] }, signal);
  return !is_error || content.endsWith('is not a regular file');
}

type CallRecordsOf = Pick<CallLog, 'step' | 'ids'> & {
  /** Whose file it is. */
  agent: string;
  /** Another agent whose conversation this one goes on from. */
  after?: string;
};

type CallLogContext = { run: Pick<RunFolder, 'transcripts'>; clock: Clock; telemetry: Telemetry | undefined };

/** Sub-agents' calls and calls for summaries are in the same file. */
async function openCallLog(
  { agent, after, ...of }: CallRecordsOf,
  { run, clock, telemetry }: CallLogContext,
): Promise<CallLog> {
  const files = after === undefined ? [agent] : [after, agent];
  const before = await Promise.all(files.map((name) => run.transcripts.calls(name)));
  const dates = new Map(before.flat().map(({ entry, answeredAt }) => [entry, answeredAt]));
  return {
    ...of,
    now: () => clock.now(),
    timeOf: (entry) => dates.get(entry),
    write: async (call) => {
      await run.transcripts.record(agent, [call]);
      if (call.outcome === undefined) return;
      if (call.entry !== undefined) dates.set(call.entry, call.answeredAt);
      telemetry?.count('tandem.context.calls', 1, {
        'gen_ai.agent.name': call.agent,
        'gen_ai.request.model': call.model,
        'tandem.context.policy': call.limit?.policy,
        'tandem.call.outcome': call.outcome,
      });
    },
  };
}
