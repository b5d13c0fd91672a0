/** Answers a reviewer's question as Init: one turn of the agent loop without tools that write, then one event and its transcript. */
import type { LoadedAgent } from '../../agent/definition.ts';
import { runTurn } from '../../agent/loop.ts';
import { changesOf } from '../../context/index.ts';
import { HarnessError, isHarnessError, leaveOutRemedy, usageError, type ErrorCode } from '../../errors.ts';
import { gateId } from '../../gate/rules/gate.ts';
import type { ChatProgress, ChatQuestion } from '../../ports/chat.ts';
import type { Model } from '../../ports/model.ts';
import type { RunFolder, RunStore } from '../../ports/run-store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { listExchanges, type Exchange } from '../../run/exchanges.ts';
import type { RunState } from '../../run/state.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { attachFiles, chatMounts, type AttachedFiles } from './mentioned-files.ts';
import { recordExchange } from './record-exchange.ts';
import { reserveChat, settleAbandonedChats, type ChatReservation } from './reservation.ts';
import { describeOpenGate } from './open-gate.ts';
import { CHAT, openChatConversation } from './conversation.ts';
import { refuseStranger } from '../control/steer.ts';
import type { Deps } from '../deps.ts';
import { currentDesignDir } from '../../run/layout.ts';
import { sumSpent } from '../spending/write-off-abandoned.ts';
import { buildTurn } from '../steps/agent-turn.ts';
import { readApprovedRules } from '../steps/approved-rules.ts';
import { NO_SERVERS } from '../steps/server-tools.ts';
import { createModelMaker } from '../steps/step-models.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export type ChatDeps = Pick<Deps, 'catalogue' | 'clock' | 'fileTools' | 'model' | 'prompts'> & {
  store: RunStore;
  agent: LoadedAgent;
  telemetry: Telemetry;
  /** Names as `user:<name>` of those who may ask, as at the gate; everybody when absent. */
  askers?: readonly string[];
};

const MOST_CHARS = 8000;

/** The person who asks: gets the answer while it is written, and may abort. */
type ChatListener = { heard: (part: ChatProgress) => void; signal: AbortSignal };

export async function askInit(question: ChatQuestion, deps: ChatDeps, asker: ChatListener): Promise<Exchange> {
  const { signal } = asker;
  checkMayAsk(question, deps);
  const run = await deps.store.open(question.run);
  const { events, state } = await openSnapshot(run);
  const earlier = listExchanges(events).find(({ nonce }) => nonce === question.nonce);
  if (earlier !== undefined) return earlier;
  const round = findGateRound(run, state, question.gate);
  const files = deps.fileTools(chatMounts(run));
  const designDir = currentDesignDir(state, round);
  const attached = await attachFiles({ run, designDir, files }, question.text, signal);
  const context = { run, state, round, designDir, question, attached };
  const answered = await answerWithBudget(context, deps, asker).catch((error: unknown) => {
    signal.throwIfAborted();
    throw withAdvice(error);
  });
  return recordExchange(run, { question, round, files: attached.names, ...answered });
}

type ChatContext = {
  run: RunFolder;
  state: RunState;
  round: number;
  designDir: string;
  question: ChatQuestion;
  attached: AttachedFiles;
};

/** Settles chats that died during a call first, so that the rest of the budget is known. */
async function answerWithBudget(context: ChatContext, deps: ChatDeps, asker: ChatListener) {
  const { run, question } = context;
  const reservation = await reserveChat(run, question.nonce);
  try {
    const usd = await settleAbandonedChats(run);
    if (usd > 0) asker.heard({ type: 'written_off', usd });
    return await runChatTurn({ ...context, reservation }, deps, asker);
  } finally {
    await reservation.end();
  }
}

async function runChatTurn(
  { run, state, round, designDir, question, attached, reservation }: ChatContext & { reservation: ChatReservation },
  given: ChatDeps,
  { heard, signal }: ChatListener,
) {
  const { prompts } = given;
  const deps = { ...given, model: withTextParts(given.model, heard), progress: progressToChat(heard) };
  const { session, lane, appended } = await openChatConversation(run, round, {
    fresh: question.fresh === true,
    onAppend: (entry) => {
      for (const change of changesOf([entry])) heard({ type: 'context', change });
    },
  });
  const { step } = reservation;
  const attempt = { step, ...NO_MEMORY };
  const booked = { run, attempt, lane: () => run.spending, begin: reservation.sending };
  const modelFor = await createModelMaker(booked, state.budgetUsd, deps);
  const turn = await buildTurn({
    ...{ run, session, deps, signal },
    agent: withReadTools(given.agent),
    name: `chat.r${round}`,
    records: { step: `chat.r${round}`, ids: step, after: 'init' },
    // A lane of its own: its first call continues Init's conversation or the last question, whichever the lane says.
    modelFor: (_name, agent, facts) => modelFor(`${CHAT}/${lane}`, agent, facts),
    servers: NO_SERVERS,
    mounts: chatMounts(run),
    onFiles: (host) => host,
    ...{ controls: [], recall: undefined },
    pinned: () => readApprovedRules(run, state),
    openGate: describeOpenGate(state, question.gate),
  });
  const asked = { gate: question.gate, designDir, question: question.text, files: attached.text };
  const text = fillTemplate(prompts.chat_question, asked);
  const answer = await runTurn(session, { origin: 'human', text }, { ...turn, signal });
  return { answer, lane, entries: appended, ...(await sumSpent(run.spending, step)), ids: step };
}

/** Leaves the agent only tools that read, whatever its file grants, because a chat cannot change the run. */
function withReadTools(agent: LoadedAgent): LoadedAgent {
  const { skills: _skills, subagent: _subagent, ...rest } = agent;
  const tools = agent.definition.tools.filter((name) => READS.has(name));
  return { ...rest, definition: { ...agent.definition, tools } };
}

function findGateRound(run: RunFolder, { designs }: RunState, gate: string): number {
  const found = designs.find(({ round }) => gateId(round) === gate);
  if (found !== undefined) return found.round;
  const there = designs.map(({ round }) => gateId(round)).join(', ') || 'none yet: no design is handed in';
  throw new HarnessError('not_found', `Run ${run.id} has no gate ${gate} to ask about. There are: ${there}.`);
}

function checkMayAsk({ text, actor, nonce }: ChatQuestion, { askers }: ChatDeps): void {
  refuseStranger(actor, askers, 'ask');
  if (nonce === '') throw usageError('A question carries a nonce: a fresh one for each question.');
  if (text.trim() === '') throw usageError('Ask something: what is unclear about this design?');
  if (text.length > MOST_CHARS)
    throw usageError(`A question has at most ${MOST_CHARS} characters; name long texts as @file.`);
}

/** Remembers nothing: after a crash the same question is asked anew, and nothing of the lost answer is reused. */
const NO_MEMORY = { recall: async () => undefined, remember: async () => undefined };

function withTextParts(model: Model, onPart: (part: ChatProgress) => void): Model {
  return {
    ...model,
    call: (request, signal, terms) =>
      model.call(request, signal, { ...terms, onText: (text) => onPart({ type: 'text', text }) }),
  };
}

function progressToChat(onPart: (part: ChatProgress) => void): Deps['progress'] {
  return (event) => {
    if (event.type === 'step' && event.tools.length > 0) onPart({ type: 'looking', tools: event.tools });
    if (event.type === 'retry') onPart({ type: 'again', reason: event.reason });
  };
}

const READS = new Set(['read', 'glob', 'grep', 'recall']);

const ADVICE: Partial<Record<ErrorCode, string>> = {
  budget_exceeded:
    'A chat is paid from the budget of its run, and the rest is reserved for the run: decide without it, or ask once the cap is raised.',
  model_unavailable: 'Ask again in a moment.',
  agent_stopped: 'Ask in smaller parts.',
  context_overflow: 'Begin afresh (/clean on the terminal) and name fewer files.',
};
const SCRIPTS =
  'The offline model answers only what simulation/chat.yaml of the scenario knows (docs/simulation.md); with ANTHROPIC_API_KEY set, Init’s model answers.';

/** Adds the remedy to an error that has one; other errors pass unchanged. */
export function withAdvice(error: unknown): unknown {
  if (!isHarnessError(error)) return error;
  const scripted = error.code === 'model_refused' && error.message.includes('simulation script');
  const advice = scripted ? SCRIPTS : ADVICE[error.code];
  if (advice === undefined) return error;
  const { code, retryable, details } = error;
  const cause = code === 'budget_exceeded' ? leaveOutRemedy(error.message) : error.message;
  return new HarnessError(code, `${cause} Nothing of the question is on record. ${advice}`, {
    retryable,
    details,
    cause: error,
  });
}
