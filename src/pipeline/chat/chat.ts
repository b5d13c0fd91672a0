/** Answers a reviewer's question as Init: one turn of the agent loop without tools that write, then one event and its transcript. */
import { createRequestFitter } from '../../agent/compaction/request-fitter.ts';
import { withImages } from '../../agent/images.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import { runTurn } from '../../agent/loop.ts';
import { controlToolHost } from '../../agent/tools/control-tool.ts';
import { createRecallTool } from '../../agent/tools/recall.ts';
import { changesOf } from '../../context/index.ts';
import { HarnessError, isHarnessError, usageError, type ErrorCode } from '../../errors.ts';
import { gateId, mayEverDecide } from '../../gate/rules/gate.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChatProgress, ChatQuestion } from '../../ports/chat.ts';
import type { Model, ModelCatalogue } from '../../ports/model.ts';
import type { RunFolder, RunStore } from '../../ports/run-store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { ToolHost, Mount } from '../../ports/tools/tool-host.ts';
import { listExchanges, type Exchange } from '../../run/exchanges.ts';
import type { RunState } from '../../run/state.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { attachFiles, chatMounts, type AttachedFiles } from './mentioned-files.ts';
import { recordExchange } from './record-exchange.ts';
import { reserveChat, settleAbandonedChats, type ChatReservation } from './reservation.ts';
import { CHAT, openChatConversation } from './conversation.ts';
import type { Deps } from '../deps.ts';
import { currentDesignDir } from '../../run/layout.ts';
import { createPaidModel } from '../spending/paid-model.ts';
import { readApprovedRules } from '../steps/approved-rules.ts';
import { openCallLog } from '../steps/call-records.ts';
import { buildLayers, toReminders, getRulesDir, type ReminderPrompts } from '../steps/agent-wiring.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export type ChatDeps = {
  store: RunStore;
  model: Model;
  catalogue: ModelCatalogue;
  fileTools: (mounts: readonly Mount[]) => ToolHost;
  agent: LoadedAgent;
  clock: Clock;
  telemetry: Telemetry;
  prompts: Pick<Deps['prompts'], 'chat_question' | 'tools'> & ReminderPrompts;
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
  const context = { run, state, round, designDir, question, files, attached };
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
  files: ToolHost;
  attached: AttachedFiles;
};
type ReservedChat = ChatContext & { reservation: ChatReservation };

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
  { run, state, round, designDir, question, files, attached, reservation }: ReservedChat,
  deps: ChatDeps,
  { heard, signal }: ChatListener,
) {
  const { agent, prompts } = deps;
  const { session, lane, appended } = await openChatConversation(run, round, {
    fresh: question.fresh === true,
    onAppend: (entry) => {
      for (const change of changesOf([entry])) heard({ type: 'context', change });
    },
  });
  const { definition } = agent;
  const facts = await deps.catalogue.describe(definition.model, signal);
  let [usd, calls] = [0, 0];
  const model = withImages(
    createPaidModel({
      model: withTextParts(deps.model, heard),
      facts,
      attempt: { step: reservation.step, ...NO_MEMORY },
      spending: run.spending,
      begin: reservation.sending,
      capUsd: state.budgetUsd,
      agent: CHAT,
      lane: `${CHAT}/${lane}`,
      onPaid: (cost) => {
        [usd, calls] = [usd + cost, calls + 1];
        deps.telemetry.count('tandem.cost', cost, { 'gen_ai.agent.name': CHAT, 'gen_ai.request.model': facts.id });
      },
    }),
    run.transcripts.images,
  );
  const recall = controlToolHost([createRecallTool(prompts.tools['recall'] ?? '', () => session.all)]);
  const hosts = [files, recall].map((host) => pickReadTools(host, definition.tools));
  const tools = hosts.flatMap(({ definitions }) => definitions);
  const progress = progressToChat(heard);
  const asked = { gate: question.gate, designDir };
  const layers = buildLayers(agent, { rules: getRulesDir(run), pinned: () => readApprovedRules(run, state) });
  const text = await runTurn(
    session,
    {
      origin: 'human',
      text: fillTemplate(prompts.chat_question, { ...asked, question: question.text, files: attached.text }),
    },
    {
      ...{ agent: CHAT, model, hosts, maxSteps: definition.max_steps, progress },
      fitter: createRequestFitter({
        ...{ agent, facts, tools, model, progress, layers },
        ...describeOpenGate(state, question.gate),
        calls: await openCallLog(
          { step: `chat.r${round}`, ids: reservation.step, agent: CHAT, after: 'init' },
          { run, clock: deps.clock, telemetry: deps.telemetry },
        ),
      }),
      reminders: toReminders(prompts),
      signal,
    },
  );
  return { answer: text, lane, entries: appended, usd, calls, ids: reservation.step };
}

/** Describes the decision that a person still has to make, for a compaction in this conversation (S0.18). */
function describeOpenGate(state: RunState, id: string): { openGate?: string } {
  if (state.status !== 'awaiting_approval' || state.gate.id !== id) return {};
  const { digest, need, approvals } = state.gate;
  const openGate = `${id} was open when this was written: a person decides, no agent does. Design ${digest}, ${approvals.length} of ${need} approvals.`;
  return { openGate };
}

function findGateRound(run: RunFolder, { designs }: RunState, gate: string): number {
  const found = designs.find(({ round }) => gateId(round) === gate);
  if (found !== undefined) return found.round;
  const there = designs.map(({ round }) => gateId(round)).join(', ') || 'none yet: no design is handed in';
  throw new HarnessError('not_found', `Run ${run.id} has no gate ${gate} to ask about. There are: ${there}.`);
}

function checkMayAsk({ text, actor, nonce }: ChatQuestion, { askers }: ChatDeps): void {
  if (!mayEverDecide(actor) || !actor.startsWith('user:') || askers?.every((one) => !isSameActor(one, actor)) === true)
    throw new HarnessError(
      'gate_refused',
      `${JSON.stringify(actor)} may not ask: who may decide here may, and config/reviewers.yaml lists who that is.`,
      { details: { refusal: 'not_allowed' } },
    );
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

function pickReadTools(host: ToolHost, names: readonly string[]): ToolHost {
  const definitions = host.definitions.filter(({ name }) => names.includes(name) && READS.has(name));
  const known = new Set(definitions.map(({ name }) => name));
  return {
    definitions,
    call: async (name, input, signal) =>
      known.has(name) ? host.call(name, input, signal) : { content: `No tool is named ${name}.`, is_error: true },
  };
}

/** Tools that a chat may use whatever agents/chat/agent.yaml grants, because a chat cannot change the run. */
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
  const cause = code === 'budget_exceeded' ? error.message.replace(/ Raise the cap with .*$/, '') : error.message;
  return new HarnessError(code, `${cause} Nothing of the question is on record. ${advice}`, {
    retryable,
    details,
    cause: error,
  });
}
