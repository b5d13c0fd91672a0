/** Lets one agent work on one step until its control tool is satisfied; then commits the result. */
import { HarnessError, isHarnessError } from '../../errors.ts';
import { changesOf } from '../../context/index.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { createAgentConversation, type AgentConversation } from '../../agent/agent-conversation.ts';
import { WRITES } from '../../agent/tools/fresh-reads.ts';
import { runTurn, type TurnDeps } from '../../agent/loop.ts';
import type { ControlTool } from '../../agent/tools/control-tool.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { Attempt, CommittedFolder } from '../../ports/artifacts.ts';
import { buildTurn } from './agent-turn.ts';
import { readApprovedRules } from './approved-rules.ts';
import { createCacheClock } from './cache-expiry.ts';
import { beginStep } from '../drive/begin-step.ts';
import type { StepContext } from '../deps.ts';
import type { Mount, ToolHost } from '../../ports/tools/tool-host.ts';
import { type ChangedFile, listSteering, stepAtWork, type Steering } from '../../run/steering.ts';
import { openLiveTranscript } from '../sessions/live-transcript.ts';
import { createRecall } from '../sessions/index-sessions.ts';
import { deferSettlement } from '../spending/deferred-settlement.ts';
import { openServerTools } from './server-tools.ts';
import { createModelMaker, type ModelFor } from './step-models.ts';
import type { Model } from '../../ports/model.ts';
import { openSnapshot, transact } from '../../run-folder/snapshot.ts';
import { getEntryNumber } from '../../transcript/entry.ts';
import { createUserMessage } from '../../transcript/message.ts';
import { getStepAgent } from '../sessions/read-sessions.ts';

export type StepPlan = {
  agent: LoadedAgent;
  /** Name such as `design.r2` or `execute.i1`. */
  name: string;
  target: string;
  seed: readonly { from: string; to: string }[];
  task: { origin: 'human' | 'harness'; text: string };
  mounts: (attempt: Attempt) => Mount[];
  controls: (attempt: Attempt, modelFor: ModelFor) => ControlTool[];
  /** True when the agent's work may no longer change, so that writing is refused. */
  sealed: () => boolean;
  /** Called before a file is written: an earlier submission then no longer matches the files. */
  wrote?: () => void;
  /** Describes what is still missing when the agent ends its turn; undefined when the step is done. */
  missing: () => string | undefined;
};

export async function workStep(step: StepContext, plan: StepPlan): Promise<CommittedFolder> {
  const attempt = await step.run.artifacts.begin(plan.name, plan.target, plan.seed);
  try {
    return await workAttempt(step, plan, attempt);
  } catch (error) {
    const ended = await toStepError(attempt, error);
    // A person may read and change the files on another machine while the run rests; after `infrastructure` it does not rest.
    if (!isHarnessError(ended, 'infrastructure')) await attempt.share().catch(() => undefined);
    throw ended;
  }
}

async function workAttempt(step: StepContext, plan: StepPlan, attempt: Attempt): Promise<CommittedFolder> {
  const { run, state, deps, signal } = step;
  const before = await run.transcripts.read(plan.agent.definition.name);
  const live = await openLiveTranscript(attempt);
  const session = createAgentConversation({
    // Entries that an earlier try of this step published are made again, word for word, from the remembered calls.
    entries: before.filter((entry) => entry.step !== plan.name),
    step: plan.name,
    onAppend: async (entry) => {
      live.add(entry);
      const agent = entry.lane === 'main' ? plan.agent.definition.name : `${plan.agent.definition.name}/${entry.lane}`;
      for (const change of changesOf([entry])) deps.progress({ type: 'context', agent, change });
    },
    images: run.transcripts.images,
  });
  const money = deferSettlement(run.spending);
  const modelFor = await createModelMaker(
    { run, attempt, lane: money.lane, begin: beginStep(run, attempt.step) },
    state.budgetUsd,
    deps,
  );
  const servers = await openServerTools(plan.agent, { attempt, deps, signal });
  try {
    const turn = await buildTurn({
      ...{ run, session, attempt, modelFor, servers, deps, signal },
      agent: plan.agent,
      name: plan.name,
      mounts: plan.mounts(attempt),
      onFiles: (host) => guardSealed(host, plan),
      controls: plan.controls(attempt, modelFor),
      recall: createRecall(plan.agent, { run, attempt, deps }),
      pinned: () => readApprovedRules(run, state),
      moment: await createCacheClock(run, plan.agent),
    });
    const takeOver = createFileTakeover(guardSealed(deps.fileTools(plan.mounts(attempt)), plan), signal);
    const listen = createSteeringReader({ run, deps, name: plan.name, session, model: turn.model, takeOver });
    await runUntilDone({ session, plan, turn: { ...turn, listen }, reminder: deps.prompts.reminder_submit, signal });
  } finally {
    // Paid calls are in the ledger before the caller learns how the step ended.
    await Promise.allSettled([money.settled(), live.written(), servers.close()]);
  }
  await Promise.all([money.settled(), live.written()]);
  signal.throwIfAborted();
  await run.transcripts.publish(plan.agent.definition.name, session.all);
  return run.artifacts.commit(attempt);
}

/** After a takeover every failure is a consequence of it, because this worker no longer acts for the run. */
async function toStepError(attempt: Attempt, error: unknown): Promise<unknown> {
  if (isHarnessError(error, 'attempt_lost')) return error;
  const isMine = await attempt.exists().catch((fault: unknown) => fault);
  if (isMine === true) return error;
  // The owner of the step is unknown: another server took over the store, or it is away. That passing fault is reported.
  if (isMine !== false) return isMine;
  const message = `Another worker took ${attempt.step} over: this one stops, and nothing is lost.`;
  return new HarnessError('attempt_lost', message, { details: { step: attempt.step }, cause: error });
}

type TurnsInput = { session: AgentConversation; plan: StepPlan; turn: TurnDeps; reminder: string; signal: AbortSignal };

async function runUntilDone({ session, plan, turn, reminder, signal }: TurnsInput): Promise<void> {
  await runTurn(session, plan.task, { ...turn, signal });
  for (let reminders = 0; plan.missing() !== undefined; reminders += 1) {
    const missing = plan.missing() ?? '';
    if (reminders >= plan.agent.definition.reminders) {
      const name = plan.agent.definition.name;
      throw new HarnessError(
        'agent_stopped',
        `Agent ${name} ended its turn ${reminders + 1} times, and still: ${missing}`,
        { details: { agent: name, step: plan.name } },
      );
    }
    await runTurn(session, { origin: 'reminder', text: fillTemplate(reminder, { missing }) }, { ...turn, signal });
  }
}

/** Writes a person's changes as the agent would: in the same folders, and never after the agent has handed in. */
function createFileTakeover(host: ToolHost, signal: AbortSignal): (files: readonly ChangedFile[]) => Promise<string[]> {
  return async (files) => {
    const left: string[] = [];
    for (const { path, text } of files) {
      const input = { file_path: path, ...(text !== undefined && { content: text }) };
      const { is_error } = await host.call(text === undefined ? 'remove' : 'write', input, signal);
      if (is_error) left.push(path);
    }
    return left;
  };
}

/** Contract: `sealed` is read at every call. */
function guardSealed(host: ToolHost, { sealed, wrote }: Pick<StepPlan, 'sealed' | 'wrote'>): ToolHost {
  return {
    ...host,
    call: async (name, input, signal) => {
      if (sealed() && WRITES.has(name)) {
        const content = `${name}: this step is handed in and sealed; nothing in it can change any more.`;
        return { content, is_error: true };
      }
      if (WRITES.has(name)) wrote?.();
      return host.call(name, input, signal);
    },
  };
}

type SteeringContext = Pick<StepContext, 'run' | 'deps'> & {
  name: string;
  session: AgentConversation;
  model: Model;
  /** Writes files as a person left them into the folder of this step; resolves with those that it may not take. */
  takeOver: (files: readonly ChangedFile[]) => Promise<string[]>;
};

/** Delivers people's messages to an agent at work before its next call: once, and at the same place in every try of its step. */
function createSteeringReader(at: SteeringContext): NonNullable<TurnDeps['listen']> {
  return async () => {
    const { events } = await openSnapshot(at.run);
    for (const words of listSteering(events)) {
      const isMine = getStepAgent(words.step) === getStepAgent(at.name);
      const isRead = at.session.all.some((entry) => entry.type === 'message' && entry.said?.event === words.seq);
      if (isMine && !isRead) await deliverMessage(words, at);
    }
  };
}

/**
 * A repeated try reads the message at the same place as the first one. At any place but before a new call it would
 * change requests whose answers are paid for.
 */
async function deliverMessage(words: Steering, at: SteeringContext): Promise<void> {
  const { run, name, session, model } = at;
  const newest = session.all.at(-1);
  const entry = `e${newest === undefined ? 1 : getEntryNumber(newest) + 1}`;
  const isPlace = words.heard?.step === name && words.heard.entry === entry;
  if (!isPlace) {
    if ((await model.holdsNext?.()) === true) return;
    const heard = { type: 'agent.heard' as const, step: name, said: words.seq, entry };
    const { event } = await transact(
      run,
      ({ state }) => (stepAtWork(state) === name && !('prev' in state) ? heard : undefined),
      `agent:${getStepAgent(name)}`,
    );
    // The run was paused or has moved on, so this step is about to stop.
    if (event === undefined) return;
  }
  const { actor, at: saidAt, seq } = words;
  await session.append({
    ...{ type: 'message', origin: 'human', said: { actor, at: saidAt, event: seq } },
    message: createUserMessage(await formatSteering(words, at)),
  });
}

/** Formats the message the same way in every try, and takes its files over at the same place. */
async function formatSteering(
  { actor, at, text, files, step }: Steering,
  { deps, name, takeOver }: SteeringContext,
): Promise<string> {
  const words = fillTemplate(deps.prompts.steering, { actor, at, text });
  if (files === undefined) return words;
  const left = step === name ? await takeOver(files) : files.map(({ path }) => path);
  const taken = files.flatMap(({ path }) => (left.includes(path) ? [] : [path]));
  return fillTemplate(deps.prompts.steering_files, {
    words: words.trimEnd(),
    taken: taken.join(', ') || 'none',
    left: left.length === 0 ? '' : ` As they were handed in: ${left.join(', ')}.`,
  });
}
