/** What each word of a session does. */
import { resolve } from 'node:path';
import { agentTools } from '../../app/agent-tools.ts';
import { view } from '../../context/index.ts';
import { drawContext } from '../../context-lab/picture.ts';
import type { Listener } from '../../pipeline/session/session-deps.ts';
import { conversationOf, readOwnSession } from '../../pipeline/sessions/read-own-sessions.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import { renderContext } from '../../report/context/terminal.ts';
import { exportFormat } from '../../report/run/session-export.ts';
import { count, tokens, usd } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Entry } from '../../transcript/entry.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { currentLines } from '../chat/current.ts';
import { dollars } from '../numbers.ts';
import { exported, writeNew } from './export.ts';
import { terminalSize } from '../call.ts';
import { setChecked, type Talk } from './talk.ts';
import { statusLine } from './status-line.ts';
import { helpLines, type Word } from './words.ts';

type SlashCall = Talk & {
  answer: (take: (listener: Listener) => Promise<TurnResult | undefined>) => Promise<TurnResult | undefined>;
};
/** `begun`: the initial text of the next line. */
type SlashResult = { begun?: string } | undefined;

const PLAIN_COLUMNS = 110;
/** Of messages: a summary of less would be longer. */
const LEAST_TOKENS = 1000;

/** A finished answer at the end is no part of the view yet. */
function sizeOf(entries: readonly Entry[]): number {
  const last = entries.at(-1);
  return estimateMessages([...view(entries).messages, ...(last?.type === 'message' ? [last.message] : [])]);
}

const compactionsIn = (entries: readonly Entry[]): number => entries.filter(({ type }) => type === 'compaction').length;

export async function runSlashCommand(
  word: Exclude<Word, 'quit'>,
  rest: string,
  slash: SlashCall,
): Promise<SlashResult> {
  const lines = await COMMANDS[word](slash, rest);
  const { begun, said } = Array.isArray(lines) ? { begun: undefined, said: lines } : lines;
  for (const line of said) slash.call.io.err(line);
  return begun === undefined ? undefined : { begun };
}

type SlashCommand = (slash: SlashCall, rest: string) => Promise<string[] | { begun: string; said: string[] }>;

const COMMANDS: Readonly<Record<Exclude<Word, 'quit'>, SlashCommand>> = {
  help: async ({ home }) => helpLines(home),
  current,
  clean: async ({ conversation }) => {
    await conversation.clear();
    return ['The next message begins afresh. What was said stays on record.'];
  },
  compact: async ({ conversation, folder, answer }, keep) => {
    const before = await conversationOf(folder, conversation.now);
    const size = sizeOf(before);
    if (size < LEAST_TOKENS)
      return [`There is little to summarise yet, about ${tokens(size)} tokens: nothing was paid.`];
    const done = await answer((listener) => conversation.compact(keep, listener));
    const after = await conversationOf(folder, conversation.now);
    const isMade = compactionsIn(after) > compactionsIn(before);
    return done?.turn.end?.end !== 'answered' || isMade
      ? []
      : ['No summary is shorter than what it would replace: all stays as it was.'];
  },
  context: async ({ conversation, folder, call: { io } }) => {
    const entries = await conversationOf(folder, conversation.now);
    if (entries.length === 0) return ['Nothing is said yet.'];
    const picture = drawContext(entries, await folder.transcripts.calls(conversation.now.agent));
    const window = picture.history.context?.window;
    const head = { agent: conversation.now.agent, ...(window === undefined ? {} : { window }) };
    return renderContext(picture, head, terminalSize(io, PLAIN_COLUMNS));
  },
  model: async (slash, model) => chosen(slash, model === '' ? {} : { model }),
  policy: async (slash, policy) => chosen(slash, policy === '' ? {} : { policy }),
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
  cost,
  budget: async (slash, amount) => chosen(slash, amount === '' ? {} : { budgetUsd: dollars('/budget', amount) }),
  export: async ({ folder, call: { io } }, rest) => {
    const [format = '', file] = rest.split(/\s+/);
    const wanted = exportFormat(format === '' ? 'md' : format);
    const place = resolve(io.cwd, file ?? `${folder.id}.${wanted}`);
    return [`written: ${await writeNew(place, await exported(folder, wanted))}`];
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

async function current({ conversation: { now }, folder, home, app }: SlashCall): Promise<string[]> {
  const [state] = await readOwnSession(folder, agentTools(home));
  if (state === undefined || state.messages.total === 0) return ['Nothing is said yet.'];
  const { definition, policy } = await app.deps.agentOf(now);
  const helpers = (await readOwnSession(folder, agentTools(home))).filter(({ contextId }) =>
    contextId.startsWith('subagent-'),
  );
  return [
    ...currentLines(state),
    terminalText(
      `turn ${now.begun} · ${state.loops} of at most ${definition.max_steps} answers in it · policy ${policy.name}`,
    ),
    ...(helpers.length === 0 ? [] : [`${count(helpers.length, 'sub-agent')} so far`]),
    ...(state.uploads.length === 0 ? [] : [terminalText(`given: ${state.uploads.join(', ')}`)]),
  ];
}

async function cost(slash: SlashCall): Promise<string[]> {
  const { turns } = slash.conversation.now;
  const lines = turns.map(({ turn, text, end }) =>
    terminalText(
      `turn ${turn}  ${usd(end?.usd ?? 0).padStart(8)}  ${count(end?.calls ?? 0, 'call')}  ${text.slice(0, 50) || '/compact'}`,
    ),
  );
  return [...lines, await statusLine(slash)];
}

async function chosen(
  slash: SlashCall,
  changes: { model?: string; policy?: string; budgetUsd?: number },
): Promise<string[]> {
  const { conversation, app } = slash;
  if (Object.keys(changes).length > 0) await setChecked(conversation, changes, app);
  const { definition, policy } = await app.deps.agentOf(conversation.now);
  return [
    terminalText(`model ${definition.model} · policy ${policy.name} · at most ${usd(conversation.now.budgetUsd)}`),
  ];
}
