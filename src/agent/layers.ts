/** Injects the policy's layers: project rules and skills in the system prompt, memory and todos in the conversation, pointers to old images (S1.1, S3.10, S4.2). */
import {
  injectionEntries,
  layerEntry,
  lastTask,
  memoryEntry,
  pointerEntry,
  recapEntry,
  type Core,
  type PinnedRules,
} from '../context/index.ts';
import type { ConversationLog } from './agent-conversation.ts';
import type { EntryDraft } from '../transcript/entry.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Policy } from '../context/policy.ts';
import { decodeText } from '../disk/decode-text.ts';
import { estimateText } from '../transcript/tokens.ts';

/** Sources of the layers; an absent source is an empty layer. */
export type LayerSources = {
  /** Returns the rules of the workspace, or undefined without any; called before every model call, so it must be fast (S1.2). */
  law?: (signal: AbortSignal) => Promise<{ file: string; text: string } | undefined>;
  /** Returns the rules that a person approved, in force until a newer design is approved; none of them may be lost. */
  pinned?: (signal: AbortSignal) => Promise<PinnedRules | undefined>;
  /** Returns one line per skill: its name, its file, its purpose. */
  skills?: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Text that the agent reads about its sub-agents (S2.1). */
  strategy?: string;
  /** Returns the entries of earlier sessions that match a task best. */
  recall?: (task: string, limit: number, signal: AbortSignal) => Promise<readonly string[]>;
};

export type Layers = {
  /** Appends the changes since the last call; earlier entries stay unchanged. */
  bring(session: ConversationLog, signal: AbortSignal): Promise<void>;
};

export function createLayers(core: Core, sources: LayerSources): Layers {
  const { layers } = core.policy;
  let remembered: string | undefined;

  async function* due(session: ConversationLog, signal: AbortSignal): AsyncGenerator<EntryDraft | undefined> {
    const { entries } = session;
    yield pointerEntry(entries, core);
    if (layers.law !== undefined) yield layerEntry(entries, core, { law: await sources.law?.(signal) });
    if (sources.pinned !== undefined) yield layerEntry(entries, core, { pinned: await sources.pinned(signal) });
    if (layers.skills) yield layerEntry(entries, core, { skills: (await sources.skills?.(signal)) ?? [] });
    yield layerEntry(entries, core, { strategy: sources.strategy ?? '' });
    const task = lastTask(entries);
    if (layers.memory !== undefined && task !== undefined && task.id !== remembered) {
      remembered = task.id;
      const found = await sources.recall?.(task.text, layers.memory.limit, signal);
      yield memoryEntry(entries, core, task.id, found ?? []);
    }
    yield* injectionEntries(entries, core);
    if (layers.recap) yield recapEntry(entries, core);
  }

  return {
    bring: async (session, signal) => {
      for await (const draft of due(session, signal)) if (draft !== undefined) await session.append(draft);
    },
  };
}

/** Upper limit for the text; the policy caps what is sent (`lawTokens`), and that is measured before every call. */
const MOST_CHARS = 1_000_000;

/** Contract: a missing or unreadable file is no law; of two names that differ in case only, the first counts. */
export function buildProjectRules(folder: string, name: string): NonNullable<LayerSources['law']> {
  let known: { file: string; at: number; size: number; text: string } | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    const names = await readdir(folder).catch(() => []);
    const file = names.filter((one) => one.toLowerCase() === name.toLowerCase()).toSorted()[0];
    if (file === undefined) return undefined;
    const path = join(folder, file);
    const now = await stat(path).catch(() => undefined);
    if (now?.isFile() !== true) return undefined;
    if (known?.file === file && known.at === now.mtimeMs && known.size === now.size) return { file, text: known.text };
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const text = (decodeText(bytes) ?? '').slice(0, MOST_CHARS);
    known = { file, at: now.mtimeMs, size: now.size, text };
    return { file, text };
  };
}

/** Warns a person at the start of a run that agents get less of the law than the file says. */
export function formatLawNotice(
  { file, bytes }: { file: string; bytes: Uint8Array },
  { name, layers: { law, lawTokens } }: Policy,
): string | undefined {
  if (law === undefined)
    return `${file} has no effect: context policy ${name} has no \`layers: { law: CODE_LAW.md }\`.`;
  const tokens = estimateText(decodeText(bytes) ?? '');
  if (tokens <= lawTokens) return undefined;
  return `${file} has about ${tokens} tokens, and agents get its first ${lawTokens} tokens (lawTokens in config/context/${name}.yaml).`;
}
