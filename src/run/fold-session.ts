/** Folds the state of a session from its transcript and the run's journal (S3.1). */
import { view } from '../context/view/view.ts';
import { parseMentions } from '../gate/rules/mentions.ts';
import { type Block, getText } from '../transcript/message.ts';
import type { Entry, MessageEntry } from '../transcript/entry.ts';
import { activeSkill, isGoverned } from '../context/facts/active-skill.ts';
import type { SessionState, SessionStatus } from './session.ts';
import type { RunState } from './state.ts';
import { z } from 'zod';
import { findCompletedCalls } from '../context/facts/ledger.ts';

/** The current definition of the agent; it applies where the transcript does not record the agent's tools. */
export type AgentTools = {
  names: readonly string[];
  model: string;
  maxLoops: number;
  /** The tools of its sub-agents. */
  subagent?: AgentTools;
};

export type SessionFacts = {
  run: { id: string; scenario: string; status: SessionStatus; runStatus: string; startedBy: string; lastAt: string };
  agent: string;
  lane: string;
  /** The entries of all lanes of the transcript. */
  entries: readonly Entry[];
  tools: AgentTools | undefined;
  uploads: readonly string[];
  costUsd: number;
  /** The model that a person chose in the session. */
  modelPreference?: SessionState['modelPreference'];
  /** The working folder, if it is not the folder of a step. */
  workspace?: string;
};

export function foldSession(given: SessionFacts): SessionState {
  const { run, agent, lane, entries, uploads, costUsd } = given;
  const own = entries.filter((entry) => entry.lane === lane);
  const messages = own.filter((entry) => entry.type === 'message');
  const skill = activeSkill(own);
  const threadId = `${run.id}/${agent}`;
  const tools = getToolsAtTurn(messages, isSubagent(lane) ? given.tools?.subagent : given.tools);
  const persistent = tools.names.filter((name) => !isGoverned(name));
  const answered = messages.flatMap(({ response }) => response ?? []);
  const shown = view(own).messages;
  return {
    id: lane === 'main' ? threadId : `${threadId}/${lane}`,
    run: run.id,
    scenario: run.scenario,
    agent,
    status: run.status,
    runStatus: run.runStatus,
    lastAt: run.lastAt,
    messages: { ...countByOrigin(messages), total: messages.length, inView: shown.length },
    images: listImages(messages, JSON.stringify(shown)),
    todos: latestTodos(own),
    activeSkill: skill === undefined ? null : { name: skill.name, entry: skill.entry },
    allowedTools: [...filterGoverned(tools.names, skill?.allowedTools), ...persistent],
    persistentTools: persistent,
    mentions: [...new Set(messages.filter(isHuman).flatMap(({ message }) => parseMentions(getText(message)).inside))],
    contextId: lane,
    parentContext: findParentLane(own, entries),
    loops: countLoops(messages),
    maxLoops: tools.maxLoops ?? null,
    model: answered.at(-1)?.model ?? tools.model ?? null,
    modelPreference: given.modelPreference ?? null,
    threadId,
    userId: run.startedBy,
    workspace: given.workspace ?? findWorkspace(own.findLast(({ step }) => step !== undefined)?.step),
    uploads: [...uploads],
    calls: answered.length,
    compactions: own.filter(({ type }) => type === 'compaction').length,
    tokens: sumTokens(answered),
    costUsd,
  };
}

export function sessionStatus({ status }: Pick<RunState, 'status'>): SessionStatus {
  switch (status) {
    case 'created':
    case 'designing':
    case 'executing':
      return 'live';
    case 'awaiting_approval':
      return 'gated';
    case 'paused':
    case 'errored':
      return 'stopped';
    case 'succeeded':
    case 'failed':
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return 'done';
    default:
      return status satisfies never;
  }
}

const isHuman = ({ origin, item }: MessageEntry): boolean => origin === 'human' && item === undefined;

function countByOrigin(messages: readonly MessageEntry[]): Record<MessageEntry['origin'], number> {
  const counts = { human: 0, harness: 0, model: 0, tools: 0, reminder: 0 };
  for (const { origin } of messages) counts[origin] += 1;
  return counts;
}

/** Lists images; one is in the view when the view holds its own block, and not a text that points to it. */
function listImages(messages: readonly MessageEntry[], shown: string): SessionState['images'] {
  return messages.flatMap(({ id, message }) =>
    imageBlocks(message.content).map((block) => ({
      entry: id,
      media: getMediaType(block.source),
      inView: shown.includes(JSON.stringify(block.source)),
    })),
  );
}

function imageBlocks(content: readonly Block[]): Extract<Block, { type: 'image' }>[] {
  return content.flatMap((block) => {
    if (block.type === 'image') return [block];
    const inner = block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];
    return inner.filter((part) => part.type === 'image');
  });
}

function getMediaType(source: object): string {
  return 'media_type' in source && typeof source.media_type === 'string' ? source.media_type : 'image';
}

/** Recognises a sub-agent's lane by its name. */
export function isSubagent(lane: string): boolean {
  return lane.startsWith('subagent-');
}

/** Returns the tools at the beginning of the last turn; a transcript of an older program does not record them. */
function getToolsAtTurn(messages: readonly MessageEntry[], now: AgentTools | undefined) {
  const began = messages.findLast(({ context }) => context?.tools !== undefined)?.context;
  const { tools: names = now?.names ?? [], model = now?.model, maxSteps: maxLoops = now?.maxLoops } = began ?? {};
  return { names, model, maxLoops };
}

function filterGoverned(names: readonly string[], narrowed: readonly string[] | undefined): string[] {
  return names.filter((name) => isGoverned(name) && narrowed?.includes(name) !== false);
}

function findParentLane(own: readonly Entry[], all: readonly Entry[]): string | null {
  return all.find(({ id }) => id === own[0]?.parents[0])?.lane ?? null;
}

/** Counts answers since the last turn began; reminders and messages within a turn do not begin one. */
function countLoops(messages: readonly MessageEntry[]): number {
  const lastRequest = messages.findLastIndex(
    ({ origin, item, said }) =>
      item === undefined && said === undefined && (origin === 'human' || origin === 'harness'),
  );
  return messages.slice(lastRequest + 1).filter(({ origin }) => origin === 'model').length;
}

/** Maps a step to its folder: `design.r2` to `design/r2`, `execute.i3` to `execution_outputs/iteration_3`. */
function findWorkspace(step: string | undefined): string | null {
  const [, round] = /^design\.r(\d+)$/.exec(step ?? '') ?? [];
  const [, iteration] = /^execute\.i(\d+)$/.exec(step ?? '') ?? [];
  if (round !== undefined) return `design/r${round}`;
  return iteration === undefined ? null : `execution_outputs/iteration_${iteration}`;
}

function sumTokens(answered: readonly NonNullable<MessageEntry['response']>[]): SessionState['tokens'] {
  const tokens = { input: 0, cacheRead: 0, output: 0 };
  for (const { usage } of answered) {
    tokens.input += usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
    tokens.cacheRead += usage.cache_read_input_tokens;
    tokens.output += usage.output_tokens;
  }
  return tokens;
}

const Todos = z.object({ todos: z.array(z.looseObject({ text: z.string(), status: z.string() })) });

/** Returns the newest todo list that the tool accepted; a list of another shape counts as none. */
function latestTodos(entries: readonly Entry[]): { text: string; status: string }[] {
  const latest = findCompletedCalls(entries).findLast(({ call }) => call.name === 'todo_write');
  const parsed = Todos.safeParse(latest?.call.input);
  return parsed.success ? parsed.data.todos.map(({ text, status }) => ({ text, status })) : [];
}
