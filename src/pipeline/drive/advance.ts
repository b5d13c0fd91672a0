/** Handles one wake-up of a run: reads its journal, folds, decides one command, performs it, appends what happened. */
import { onDisk } from '../../disk/disk-fault.ts';
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { gateId } from '../../gate/rules/gate.ts';
import { stepName, type Command } from '../../run/command.ts';
import { decide } from '../../run/decide.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { transact, openSnapshot, readState, withTranscriptDigest } from '../../run-folder/snapshot.ts';
import { settleAbandonedChats } from '../chat/reservation.ts';
import { failureText } from './failed-call.ts';
import { pauseFor } from './provider-pause.ts';
import { watchRun, waitForUndoWindow } from './begin-step.ts';
import type { Deps, StepContext } from '../deps.ts';
import { writeOffAbandoned } from '../spending/write-off-abandoned.ts';
import { makeDesign } from '../steps/make-design.ts';
import { makeIteration } from '../steps/make-iteration.ts';
import { readBrief } from '../start-run.ts';
import { tracedStep } from '../spans.ts';

/** Resolves with the command that was carried out; `wait` and `none` mean that nothing is left to do here. */
export async function advance(runId: string, deps: Deps, signal: AbortSignal): Promise<Command> {
  const run = await deps.store.open(runId);
  const snapshot = await openSnapshot(run);
  const { state } = snapshot;
  deps.telemetry?.observe(run, snapshot.events);
  const command = decide(state);
  if (command.type === 'wait' || command.type === 'none') return command;
  const watch = watchRun(run, state, { signal });
  try {
    await waitForUndoWindow(state, deps, watch.signal);
    await settleAbandonedChats(run);
    const happened = await performCommand({ run, state, deps, signal: watch.signal }, command);
    await appendOnce(run, state, happened);
    reportEvent(happened.body, deps);
    await cleanEndedRun(run, deps.store);
    return command;
  } catch (error) {
    // The run was cancelled, paused, taken back or finished by another worker, so this step has not failed.
    const now = decide(await readState(run));
    const moved = isHarnessError(error, 'attempt_lost') && stepName(now) !== stepName(command);
    if (signal.aborted || (watch.movedTo() === undefined && !moved)) throw error;
    return now;
  } finally {
    watch.stop();
  }
}

/** Packs hundreds of small files into one. Failures do not matter any more. */
async function cleanEndedRun(run: RunFolder, store: Deps['store']): Promise<void> {
  if (!('verdict' in (await readState(run)))) return;
  await run.spending.pack().catch(() => undefined);
  await store.sweep({ only: run.id }).catch(() => undefined);
}

type ActorEvent = { actor: string; body: EventBody };

async function performCommand(given: Omit<StepContext, 'brief'>, command: Command): Promise<ActorEvent> {
  const worker = 'worker:tandem';
  if (command.type === 'start') return { actor: worker, body: { type: 'run.started' } };
  const step = { ...given, brief: await readBrief(given.run) };
  try {
    const { init, execute } = step.deps.agents;
    const [agent, make] = command.type === 'design' ? [init, makeDesign] : [execute, makeIteration];
    const { name } = agent.definition;
    const at = stepName(command);
    // A missing file or a failing disk is not the agent's fault, and a later try may succeed.
    const body = await tracedStep(step, command, () => onDisk(`Step ${at}`, () => make(step)));
    await writeOffAbandoned(step.run.spending, at);
    return { actor: `agent:${name}`, body: await withTranscriptDigest(step.run, body, { agent: name, step: at }) };
  } catch (error) {
    return { actor: worker, body: await toFailureEvent(error, command, step) };
  }
}

/** Throws failures that may pass, so that the queue tries again; every other failure becomes an event of the run. */
async function toFailureEvent(
  error: unknown,
  command: Command,
  { run, deps, signal }: Pick<StepContext, 'run' | 'deps' | 'signal'>,
): Promise<EventBody> {
  if (signal.aborted) throw signal.reason;
  if (isHarnessError(error, 'budget_exceeded')) return { type: 'run.paused', reason: 'budget', detail: error.message };
  if (isHarnessError(error) && (error.retryable || error.code === 'attempt_lost')) throw error;
  // The step is not at fault: another worker may have the sandbox that this machine lacks.
  if (isHarnessError(error, 'sandbox_unavailable') && deps.handedOver) throw error;
  const pause = pauseFor(error);
  if (pause !== undefined) return pause;
  const step = stepName(command);
  const code = isHarnessError(error) ? error.code : 'infrastructure';
  return { type: 'step.failed', step, code, message: await failureText(run, step, error), final: true };
}

/** Two workers may finish the same step; the second finds its event already there. */
async function appendOnce(run: RunFolder, before: RunState, { body, actor }: ActorEvent): Promise<void> {
  const choose = ({ events, state }: RunSnapshot): EventBody | undefined => {
    if (events.slice(before.length).some((event) => event.body.type === body.type)) return undefined;
    // Other events may have come that leave the next step the same, such as a question about the design.
    if (stepName(decide(state)) === stepName(decide(before))) return body;
    throw new HarnessError('journal_conflict', `Another process moved run ${run.id} on; looking again.`, {
      retryable: true,
    });
  };
  await transact(run, choose, actor);
}

function reportEvent(body: EventBody, deps: Deps): void {
  if (body.type === 'design.done') {
    const opened = { outcome: 'opened', actor: 'agent:init', comment: '', digest: body.digest } as const;
    deps.progress({ type: 'gate', gate: gateId(body.round), ...opened });
  }
  if (body.type === 'run.paused') deps.progress({ type: 'state', status: 'paused', detail: body.detail });
  if (body.type === 'step.failed')
    deps.progress({ type: 'state', status: 'errored', detail: `${body.step}: ${body.message}` });
}
