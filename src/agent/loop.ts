/** One turn of an agent: steps until it ends its turn. Everything that can branch is decided elsewhere. */
import { HarnessError } from '../errors.ts';
import type { MessageEntry } from '../transcript/entry.ts';
import { userText } from '../transcript/message.ts';
import type { Model, ModelRequest } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import type { ToolHost } from '../ports/tool-host.ts';
import { interpret, type NextAction } from './next-action.ts';
import { runTools } from './run-tools.ts';
import type { AgentSession } from './session.ts';

/** A request that is known to be valid and to fit, and the epoch that its usage will be measured on. */
export type FittedRequest = { request: ModelRequest; epoch: string; contextTokens: number; triggerTokens: number };

export interface RequestFitter {
  /** The policy in its numbers, as the transcript records it. */
  readonly context?: MessageEntry['context'];
  /** Contract: compacts first when the policy says so, or when `force` is set; `context_overflow` when nothing helps. */
  fit(session: AgentSession, force: boolean, signal: AbortSignal): Promise<FittedRequest>;
}

export type TurnDeps = {
  agent: string;
  model: Model;
  hosts: readonly ToolHost[];
  fitter: RequestFitter;
  maxSteps: number;
  /** Prompt texts for an answer that was cut and for an empty one. */
  reminders: { cut: string; empty: string };
  progress: Progress;
  /** Hears what each answer took: the transcript itself holds no time. */
  stopwatch?: { answered: (entry: string, ms: number) => void };
};

/** Answers in a row that brought nothing before the turn is given up. */
const MAX_FRUITLESS = 3;

type Task = { origin: 'human' | 'harness' | 'reminder'; text: string };

/** Opens a turn with `task` and runs it to its end; resolves with the closing text. */
export async function runTurn(session: AgentSession, task: Task, deps: TurnDeps, signal: AbortSignal): Promise<string> {
  await session.append({ type: 'message', ...opening(task, deps.fitter) });
  let fruitless = 0;
  let force = false;
  for (let step = 1; step <= deps.maxSteps; step += 1) {
    signal.throwIfAborted();
    const meaning = await callOnce(session, deps, step, force, signal);
    force = meaning.next === 'compact';
    fruitless = meaning.next === 'go_on' || meaning.next === 'compact' ? fruitless + 1 : 0;
    if (meaning.next === 'end') return meaning.text;
    if (meaning.next === 'give_up') throw stopped(deps, step, meaning.why);
    if (fruitless > MAX_FRUITLESS) throw stopped(deps, step, `${fruitless} answers in a row were cut or empty`);
  }
  throw stopped(deps, deps.maxSteps, `the step limit is reached (max_steps in agents/${deps.agent}/agent.yaml)`);
}

/** A reminder opens no turn of its own. */
function opening(
  { origin, text }: Task,
  { context }: RequestFitter,
): Pick<MessageEntry, 'origin' | 'message' | 'context'> {
  const message = userText(text);
  return context === undefined || origin === 'reminder' ? { origin, message } : { origin, message, context };
}

async function callOnce(
  session: AgentSession,
  deps: TurnDeps,
  step: number,
  force: boolean,
  signal: AbortSignal,
): Promise<NextAction> {
  const fitted = await deps.fitter.fit(session, force, signal);
  const response = await deps.model.call(fitted.request, signal);
  const meaning = interpret(response);
  deps.progress({
    type: 'step',
    agent: deps.agent,
    step,
    tools: meaning.next === 'run_tools' ? meaning.calls.map((call) => call.name) : [],
    contextTokens: fitted.contextTokens,
    triggerTokens: fitted.triggerTokens,
  });
  if ('message' in meaning && meaning.message !== undefined) {
    const { model, requestId, stopReason, usage, ms } = response;
    const { id } = await session.append({
      type: 'message',
      origin: 'model',
      message: meaning.message,
      response: {
        model,
        ...(requestId === undefined ? {} : { requestId }),
        stopReason,
        usage,
        view: fitted.epoch,
        estimated: fitted.contextTokens,
      },
    });
    if (ms !== undefined) deps.stopwatch?.answered(id, ms);
  }
  await answer(session, meaning, deps, signal);
  return meaning;
}

async function answer(session: AgentSession, meaning: NextAction, deps: TurnDeps, signal: AbortSignal): Promise<void> {
  if (meaning.next === 'run_tools') {
    const message = await runTools(meaning.calls, deps.hosts, signal);
    await session.append({ type: 'message', origin: 'tools', message });
  }
  if (meaning.next === 'go_on') {
    const text = meaning.because === 'cut' ? deps.reminders.cut : deps.reminders.empty;
    await session.append({ type: 'message', origin: 'reminder', message: userText(text) });
  }
}

function stopped(deps: TurnDeps, step: number, why: string): HarnessError {
  return new HarnessError('agent_stopped', `Agent ${deps.agent} stopped at its response ${step}: ${why}.`, {
    details: { agent: deps.agent, response: step },
  });
}
