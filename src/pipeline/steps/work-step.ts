/** One agent works on one step until its control tool is satisfied; then what it made is committed. */
import { HarnessError, isHarnessError } from '../../errors.ts';
import { changesOf } from '../../context/index.ts';
import { fill } from '../../transcript/fill-template.ts';
import { createAgentSession, type AgentSession } from '../../agent/session.ts';
import { WRITES } from '../../agent/tools/fresh-reads.ts';
import { runTurn, type TurnDeps } from '../../agent/loop.ts';
import type { ControlTool } from '../../agent/tools/control-tool.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { Attempt, Committed } from '../../ports/artifacts.ts';
import { turnOf } from './agent-turn.ts';
import { momentsOf } from './cache-expiry.ts';
import { beginStep } from '../drive/begin-step.ts';
import type { StepContext } from '../deps.ts';
import type { Mount, ToolHost } from '../../ports/tools/tool-host.ts';
import type { ChangedFile } from '../../run/steering.ts';
import { openLive } from '../sessions/live-transcript.ts';
import { recallEarlier } from '../sessions/earlier-run-memory.ts';
import { deferSettlement } from '../spending/deferred-settlement.ts';
import { listening } from './listen.ts';
import { openServerTools } from './server-tools.ts';
import { modelMaker, type ModelFor } from './step-models.ts';

export type StepPlan = {
  agent: LoadedAgent;
  /** `design.r2`, `execute.i1`. */
  name: string;
  target: string;
  seed: readonly { from: string; to: string }[];
  task: { origin: 'human' | 'harness'; text: string };
  mounts: (attempt: Attempt) => Mount[];
  controls: (attempt: Attempt, modelFor: ModelFor) => ControlTool[];
  /** True when the agent's work may no longer change, so that writing is refused. */
  sealed: () => boolean;
  /** A file is about to be written: what was handed in before is no longer what lies there. */
  wrote?: () => void;
  /** What is still missing when the agent ends its turn; undefined when the step is done. */
  missing: () => string | undefined;
};

export async function workStep(step: StepContext, plan: StepPlan): Promise<Committed> {
  const attempt = await step.run.artifacts.begin(plan.name, plan.target, plan.seed);
  try {
    return await workAttempt(step, plan, attempt);
  } catch (error) {
    const ended = await lostOr(attempt, error);
    // A person may look at its files, and change them, on another machine while the run rests. Tried again soon, nobody does.
    if (!isHarnessError(ended, 'infrastructure')) await attempt.share().catch(() => undefined);
    throw ended;
  }
}

async function workAttempt(step: StepContext, plan: StepPlan, attempt: Attempt): Promise<Committed> {
  const { run, state, deps, signal } = step;
  const before = await run.transcripts.read(plan.agent.definition.name);
  const live = await openLive(attempt);
  const session = createAgentSession({
    // What an earlier try of this step published is made again, word for word, from the remembered calls.
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
  const modelFor = await modelMaker(
    { run, attempt, lane: money.lane, begin: beginStep(run, attempt.step) },
    state.budgetUsd,
    deps,
  );
  const servers = await openServerTools(plan.agent, { attempt, deps, signal });
  try {
    const turn = await turnOf({
      ...{ run, session, attempt, modelFor, servers, deps, signal },
      agent: plan.agent,
      name: plan.name,
      mounts: plan.mounts(attempt),
      onFiles: (host) => guarded(host, plan),
      controls: plan.controls(attempt, modelFor),
      recall: recallEarlier(plan.agent, { run, attempt, deps }),
      moment: await momentsOf(run, plan.agent),
    });
    const takeOver = takingOver(guarded(deps.fileTools(plan.mounts(attempt)), plan), signal);
    const listen = listening({ run, deps, name: plan.name, session, model: turn.model, takeOver });
    await runToTheEnd({ session, plan, turn: { ...turn, listen }, reminder: deps.prompts.reminder_submit, signal });
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
async function lostOr(attempt: Attempt, error: unknown): Promise<unknown> {
  if (isHarnessError(error, 'attempt_lost')) return error;
  const isMine = await attempt.exists().catch((fault: unknown) => fault);
  if (isMine === true) return error;
  // Nobody can say whose the step is: another server has taken the store over, or it is away. That is the fault, and it passes.
  if (isMine !== false) return isMine;
  const message = `Another worker took ${attempt.step} over: this one stops, and nothing is lost.`;
  return new HarnessError('attempt_lost', message, { details: { step: attempt.step }, cause: error });
}

type Turns = { session: AgentSession; plan: StepPlan; turn: TurnDeps; reminder: string; signal: AbortSignal };

async function runToTheEnd({ session, plan, turn, reminder, signal }: Turns): Promise<void> {
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
    await runTurn(session, { origin: 'reminder', text: fill(reminder, { missing }) }, { ...turn, signal });
  }
}

/** What a person has changed is written as its agent would write it: in the same folders, and never after it has handed in. */
function takingOver(host: ToolHost, signal: AbortSignal): (files: readonly ChangedFile[]) => Promise<string[]> {
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
function guarded(host: ToolHost, { sealed, wrote }: Pick<StepPlan, 'sealed' | 'wrote'>): ToolHost {
  return {
    ...host,
    call: async (name, input, signal) => {
      if (sealed() && WRITES.has(name)) {
        return {
          content: `${name}: this step is handed in and sealed; nothing in it can change any more.`,
          is_error: true,
        };
      }
      if (WRITES.has(name)) wrote?.();
      return host.call(name, input, signal);
    },
  };
}
