/** The memory port: full-text search over the texts of earlier sessions (S3.12). */
import { z } from 'zod';

/**
 * How far a memory reaches. `session`: what a run leaves for later ones (people's words, summaries, closing answers) ·
 * `conversation`: all other messages on an agent's main lane · `task`: messages in the lanes of sub-agents.
 */
export const MemoryLevel = z.enum(['session', 'conversation', 'task']);
export type MemoryLevel = z.infer<typeof MemoryLevel>;

export type MemoryItem = {
  run: string;
  agent: string;
  lane: string;
  /** The transcript's entry: with run and agent it names the item. */
  entry: string;
  level: MemoryLevel;
  /** How its run ended: `succeeded`, `rejected`, … */
  outcome: string;
  text: string;
};

export type MemoryQuery = {
  /** Any text: words are looked for, and nothing in it is an operator. */
  text: string;
  limit: number;
  /** Absent: all levels. */
  level?: MemoryLevel | undefined;
};

/** `snippet` is one line around the first word that was found. */
export type MemoryHit = MemoryItem & { snippet: string };

/**
 * Contract: an index, never the truth: it can be deleted and rebuilt from the transcripts. Items with every word of
 * a query come before those with some; a query without words finds nothing. Chinese is found by any two characters
 * in a row. Whatever text, limit or item it is given, it throws nothing but `HarnessError`.
 */
export interface Memory {
  /** An item that is known by run, agent and entry is replaced; all items of one call are stored, or none. */
  remember(items: readonly MemoryItem[]): Promise<void>;
  search(query: MemoryQuery): Promise<MemoryHit[]>;
  /** Removes all items of this run; resolves with their number. */
  forget(run: string): Promise<number>;
  /** The runs that have items. */
  runs(): Promise<string[]>;
  close(): Promise<void>;
}
