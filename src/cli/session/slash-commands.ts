/** Implements each slash command of a session. */
import { resolve } from 'node:path';
import { agentTools } from '../../app/agent-tools.ts';
import { view } from '../../context/index.ts';
import { drawContext } from '../../context-lab/picture.ts';
import type { TurnListener } from '../../pipeline/session/session-deps.ts';
import { readConversation, readOwnSession } from '../../pipeline/sessions/read-own-sessions.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import { renderContext } from '../../report/context/terminal.ts';
import { formatCount, formatTokens, formatUsd, paidText } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Entry } from '../../transcript/entry.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { describeSession } from '../chat/describe-session.ts';
import { cleanAtStart } from '../sessions/clean.ts';
import { parseUsd } from '../parse-numbers.ts';
import { writeNewFile } from '../../disk/named-output.ts';
import { exportConversation, applyChanges, refuseOtherFormat, type TerminalSession } from './terminal-session.ts';
import { terminalSize } from '../command-context.ts';
import { formatHelp, type SlashWord } from './slash-command-list.ts';
import { formatPercent } from '../../scenario/percent.ts';

type SlashCall = TerminalSession & {
  answer: (take: (listener: TurnListener) => Promise<TurnResult | undefined>) => Promise<TurnResult | undefined>;
};
/** `begun` is the initial text of the next line. */
type SlashResult = { begun?: string } | undefined;

const PLAIN_COLUMNS = 110;
/** Least size of the messages for a compaction: the summary of less would be longer. */
const LEAST_TOKENS = 1000;

/** Adds a finished answer at the end, which is not part of the view yet. */
function estimateSize(entries: readonly Entry[]): number {
  const last = entries.at(-1);
  return estimateMessages([...view(entries).messages, ...(last?.type === 'message' ? [last.message] : [])]);
}

const countCompactions = (entries: readonly Entry[]): number =>
  entries.filter(({ type }) => type === 'compaction').length;

export async function runSlashCommand(
  word: Exclude<SlashWord, 'quit'>,
  rest: string,
  slash: SlashCall,
): Promise<SlashResult> {
  const lines = await COMMANDS[word](slash, rest);
  const { begun, said } = Array.isArray(lines) ? { begun: undefined, said: lines } : lines;
  for (const line of said) slash.call.io.err(line);
  return begun === undefined ? undefined : { begun };
}

type SlashCommand = (slash: SlashCall, rest: string) => Promise<string[] | { begun: string; said: string[] }>;

const COMMANDS: Readonly<Record<Exclude<SlashWord, 'quit'>, SlashCommand>> = {
  help: async ({ home }) => formatHelp(home),
  current: describeCurrent,
  clean: async ({ conversation, home }) => {
    await conversation.clear();
    const freed: string[] = [];
    await cleanAtStart(home, (line) => freed.push(line));
    return ['The next message begins afresh. What was said stays on record.', ...freed.map(terminalText)];
  },
  compact: async ({ conversation, folder, answer }, keep) => {
    const before = await readConversation(folder, conversation.now);
    const size = estimateSize(before);
    if (size < LEAST_TOKENS)
      return [`There is little to summarise yet, about ${formatTokens(size)} tokens: nothing was paid.`];
    const done = await answer((listener) => conversation.compact(keep, listener));
    const after = await readConversation(folder, conversation.now);
    const isMade = countCompactions(after) > countCompactions(before);
    return done?.turn.end?.end !== 'answered' || isMade
      ? []
      : ['No summary is shorter than what it would replace: all stays as it was.'];
  },
  context: async ({ conversation, folder, call: { io } }) => {
    const entries = await readConversation(folder, conversation.now);
    if (entries.length === 0) return ['Nothing is said yet.'];
    const picture = drawContext(entries, await folder.transcripts.calls(conversation.now.agent));
    const window = picture.history.context?.window;
    const head = { agent: conversation.now.agent, ...(window === undefined ? {} : { window }) };
    return renderContext(picture, head, terminalSize(io, PLAIN_COLUMNS));
  },
  model: async (slash, model) => applyChoice(slash, model === '' ? {} : { model }),
  policy: async (slash, policy) => applyChoice(slash, policy === '' ? {} : { policy }),
  tools: async ({ app, conversation }) => {
    const { definition, subagent } = await app.deps.agentOf(conversation.now);
    const helper = subagent === undefined ? [] : [`sub-agents: ${subagent.agent.definition.tools.join(', ')}`];
    return [definition.tools.join(', '), ...helper].map(terminalText);
  },
  skills: async ({ app, conversation }) => {
    const { skills = [] } = await app.deps.agentOf(conversation.now);
    if (skills.length === 0)
      return ['This agent has no skills: skills: { folder: … } in its agent.yaml gives it some.'];
    return skills.map(({ name, description }) => terminalText(`${name}: ${description}`));
  },
  cost: describeCosts,
  budget: async (slash, amount) => applyChoice(slash, amount === '' ? {} : { budgetUsd: parseUsd('/budget', amount) }),
  export: async ({ folder, home, call: { io } }, rest) => {
    const [format = '', file = `${folder.id}.json`] = rest.split(/\s+/);
    if (format !== '') refuseOtherFormat(format);
    const place = resolve(io.cwd, file);
    const output = { flag: '/export', path: place, project: home.project };
    return [`written: ${await writeNewFile(output, await exportConversation(folder))}`];
  },
  undo: async ({ conversation }) => {
    const text = await conversation.undo();
    return { begun: text, said: ['Taken back; it stays on record. Files that were written stay as they are.'] };
  },
  fork: async ({ conversation, store }) => {
    const { id } = await conversation.fork(store, newRunId(new Date()));
    return [`The fork is session ${id}: tandem session --resume ${id}`];
  },
};

async function describeCurrent({ conversation: { now }, folder, home, app }: SlashCall): Promise<string[]> {
  const [state, ...lanes] = await readOwnSession(folder, agentTools(home));
  if (state === undefined || state.messages.total === 0) return ['Nothing is said yet.'];
  const { definition, policy } = await app.deps.agentOf(now);
  const helpers = lanes.filter(({ contextId }) => contextId.startsWith('subagent-'));
  return [
    ...describeSession(state, policy.trigger.messages),
    terminalText(
      `turn ${now.begun} · ${state.loops} of at most ${definition.max_steps} answers in it · policy ${policy.name}`,
    ),
    ...(helpers.length === 0 ? [] : [`${formatCount(helpers.length, 'sub-agent')} so far`]),
    ...(state.uploads.length === 0 ? [] : [terminalText(`given: ${state.uploads.join(', ')}`)]),
  ];
}

async function describeCosts(slash: SlashCall): Promise<string[]> {
  const { turns } = slash.conversation.now;
  const lines = turns.map(({ turn, text, end }) =>
    terminalText(
      `turn ${turn}  ${formatUsd(end?.usd ?? 0).padStart(8)}  ${formatCount(end?.calls ?? 0, 'call')}  ${text.slice(0, 50) || '/compact'}`,
    ),
  );
  return [...lines, await formatStatusLine(slash)];
}

async function applyChoice(
  slash: SlashCall,
  changes: { model?: string; policy?: string; budgetUsd?: number },
): Promise<string[]> {
  const { conversation, app } = slash;
  if (Object.keys(changes).length > 0) await applyChanges(conversation, changes, app);
  const { definition, policy } = await app.deps.agentOf(conversation.now);
  return [
    terminalText(
      `model ${definition.model} · policy ${policy.name} · at most ${formatUsd(conversation.now.budgetUsd)}`,
    ),
  ];
}

/** Formats the dim line after an answer: model, tokens of the window, cached share, money spent of the budget. */
export async function formatStatusLine({
  conversation: { now },
  folder,
}: Pick<TerminalSession, 'conversation' | 'folder'>): Promise<string> {
  const entries = await readConversation(folder, now);
  const messages = entries.filter((entry) => entry.type === 'message');
  const window = messages.findLast(({ context }) => context !== undefined)?.context?.window;
  const { usage, model = '' } = messages.findLast(({ response }) => response !== undefined)?.response ?? {};
  const cached = usage?.cache_read_input_tokens ?? 0;
  const input = (usage?.input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0) + cached;
  const used = input + (usage?.output_tokens ?? 0);
  const share = window === undefined ? '' : ` of ${formatTokens(window)} (${formatPercent(used / window)})`;
  const spent = await folder.spending.list();
  const paid = {
    usd: spent.reduce((sum, one) => sum + one.usd, 0),
    uncertainUsd: spent.reduce((sum, one) => sum + one.uncertainUsd, 0),
  };
  const parts = [
    ...(usage === undefined
      ? []
      : [model, `${formatTokens(used)}${share}`, `${formatPercent(input === 0 ? 0 : cached / input)} cached`]),
    `${paidText(paid)} of ${formatUsd(now.budgetUsd)}`,
  ];
  return terminalText(parts.join(' · '));
}
