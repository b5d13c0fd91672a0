/** The memory port: what earlier sessions said, found again by its words (S3.12). */
import { z } from 'zod';

/**
 * How far a memory reaches. `session`: what a run leaves for later ones (people's words, summaries, closing answers) ·
 * `conversation`: everything else that was said on an agent's main lane · `task`: what sub-agents said among themselves.
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
 * Contract: an index, never the truth: it can be deleted and made anew from the transcripts. Items that hold every word of
 * a query come before those that hold some; a query without words finds nothing. Chinese is found by any two characters
 * that stand together. Whatever text, limit or item it is given, it throws nothing but `HarnessError`.
 */
export interface Memory {
  /** An item that is known by run, agent and entry is replaced; all of one call are kept, or none. */
  remember(items: readonly MemoryItem[]): Promise<void>;
  search(query: MemoryQuery): Promise<MemoryHit[]>;
  /** Everything of this run; resolves with how many items that were. */
  forget(run: string): Promise<number>;
  /** The runs of which something is known. */
  runs(): Promise<string[]>;
  close(): Promise<void>;
}
