/** Indexes ended runs in memory, and gives agents that ask for it what earlier sessions said (S3.12, S4.2). */
import { isHarnessError, describeError } from '../../errors.ts';
import type { Memory, MemoryItem, MemoryLevel, MemoryHit } from '../../ports/memory.ts';
import type { RunFolder, ReadDeps } from '../../ports/run-store.ts';
import { sessionStatus } from '../../run/fold-session.ts';
import { readAllTranscripts } from './read-sessions.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { LayerSources } from '../../agent/layers.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { Deps } from '../deps.ts';

/** Resolves with how many items that were: none for a run that may still go on. */
export async function indexRun(run: RunFolder, memory: Memory): Promise<number> {
  const state = await readState(run);
  if (sessionStatus(state) !== 'done') return 0;
  const items = [...(await readAllTranscripts(run))].flatMap(([agent, entries]) =>
    toMemoryItems(entries, { run: run.id, agent, outcome: state.status }),
  );
  await memory.remember(items);
  return items.length;
}

export type IndexReport = {
  runs: number;
  items: number;
  forgotten: string[];
  unreadable: { run: string; why: string }[];
};

/**
 * Every ended run of the scenario that memory knows nothing of; what it knows of runs whose folder is gone is forgotten.
 * Cheap when there is nothing new: a journal is read only for an unknown run.
 */
export async function indexScenario(
  scenario: string,
  memory: Memory,
  { store }: Pick<ReadDeps, 'store'>,
): Promise<IndexReport> {
  const report: IndexReport = { runs: 0, items: 0, forgotten: [], unreadable: [] };
  const runs = (await store.list()).filter((run) => run.scenario === scenario);
  const there = new Set(runs.map(({ id }) => id));
  for (const id of await memory.runs()) {
    if (there.has(id)) continue;
    await memory.forget(id);
    report.forgotten.push(id);
  }
  const known = new Set(await memory.runs());
  for (const { id, dir } of runs) {
    if (known.has(id)) continue;
    try {
      const items = await indexRun(await store.open(dir), memory);
      report.items += items;
      report.runs += items > 0 ? 1 : 0;
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      report.unreadable.push({ run: id, why: describeError(error) });
    }
  }
  return report;
}

/** Characters kept of one tool result, whose beginning shows what it was. */
const RESULT_CHARS = 4000;

/** Leaves out entries that the harness injects, above all memory itself. */
export function toMemoryItems(
  entries: readonly Entry[],
  where: Pick<MemoryItem, 'run' | 'agent' | 'outcome'>,
): MemoryItem[] {
  return entries.flatMap((entry): MemoryItem[] => {
    const text = toItemText(entry).trim();
    if (text === '') return [];
    return [{ ...where, lane: entry.lane, entry: entry.id, level: toMemoryLevel(entry), text }];
  });
}

function toMemoryLevel(entry: Entry): MemoryLevel {
  if (entry.lane.startsWith('subagent-')) return 'task';
  if (entry.type === 'compaction') return 'session';
  if (entry.type !== 'message') return 'conversation';
  const closes = entry.response?.stopReason === 'end_turn';
  return entry.origin === 'human' || closes ? 'session' : 'conversation';
}

function toItemText(entry: Entry): string {
  if (entry.type === 'compaction') return toPlainSummary(entry.summary);
  return entry.type === 'message' && entry.item === undefined ? formatMessage(entry) : '';
}

/** Joins words and tool results; calls and thinking are left out. */
function formatMessage({ message }: MessageEntry): string {
  return message.content
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      return block.type === 'tool_result' ? [getResultText(block).slice(0, RESULT_CHARS)] : [];
    })
    .join('\n');
}

/** Extracts the sentences of a summary, which is JSON between tags. */
function toPlainSummary(summary: string): string {
  const inner = summary.replace(/^[\s\S]*?<compact_summary>/, '').replace(/<\/compact_summary>[\s\S]*$/, '');
  const parsed = parseJson(inner);
  return parsed === undefined ? inner : collectTexts(parsed).join('; ');
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}

/** A memory up to this length is shown whole; of a longer one only the matching part. */
const WHOLE_CHARS = 600;

/** Search results read for each one shown, because successive summaries repeat each other. */
const HITS_PER_SUMMARY = 4;

const StoredRecall = z.strictObject({ version: z.literal(1), lines: z.array(z.string()) });

type RecallContext = { run: RunFolder; attempt: Attempt; deps: Deps };

/** Undefined for an agent without memory: nothing is opened, and its requests stay the same. */
export function createRecall({ definition }: LoadedAgent, making: RecallContext): LayerSources['recall'] {
  const { memory } = definition;
  const { attempt, deps } = making;
  if (memory === undefined || deps.memoryOf === undefined) return undefined;
  return async (task, limit, signal) => {
    signal.throwIfAborted();
    // Other runs may end in between, but a step that is tried again must see the same hits.
    const name = `memory/${definition.name}.${sha256(task).slice(0, 16)}`;
    const stored = StoredRecall.safeParse(await attempt.recall(name));
    if (stored.success) return stored.data.lines;
    const lines = (await searchMemory(task, { limit, level: memory.level }, making)).map(formatHit);
    await attempt.remember(name, { version: 1, lines });
    return lines;
  };
}

/** Searches the index; when it cannot be used, a notice says so and the agent works without memory. */
async function searchMemory(
  text: string,
  { limit, level }: { limit: number; level: MemoryHit['level'] },
  { run, deps }: RecallContext,
): Promise<MemoryHit[]> {
  try {
    const memory = await deps.memoryOf?.(run.scenario);
    if (memory === undefined) return [];
    try {
      await indexScenario(run.scenario, memory, deps);
      const found = await memory.search({ text, limit: limit * HITS_PER_SUMMARY, level });
      const others = found.filter((one) => one.run !== run.id);
      return [...new Map(others.map((one) => [one.snippet, one])).values()].slice(0, limit);
    } finally {
      await memory.close();
    }
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    deps.progress({ type: 'state', status: 'notice', detail: describeError(error) });
    return [];
  }
}

/** Removes `[#…]`, the form in which entries of this conversation are cited. */
function formatHit({ run, outcome, agent, entry, text, snippet }: MemoryHit): string {
  return `run ${run} (${outcome}), ${agent} ${entry}: ${text.length <= WHOLE_CHARS ? text : snippet}`.replaceAll(
    '[#',
    '[',
  );
}
