/** The common form of lines of foreign recordings, before they become entries. */
import { omitUndefined } from '../../omit-undefined.ts';
import { readContent } from './blocks.ts';
import type { Block, StopReason, Usage } from '../../transcript/message.ts';

/** One message, or a part of it; `line` is its place in the file. */
export type ImportedItem =
  | {
      kind: 'answer';
      line: number;
      /** Pieces of one streamed response carry the same key. */
      key: string | undefined;
      blocks: Block[];
      model?: string;
      stopReason?: StopReason;
      usage?: Usage;
      atMs?: number;
    }
  | { kind: 'results'; line: number; blocks: Block[]; atMs?: number }
  | { kind: 'said'; line: number; origin: 'human' | 'harness' | 'reminder'; blocks: Block[]; atMs?: number }
  /** The recorder compacted here, so usage from here on was measured on its own context. */
  | { kind: 'compacted'; line: number; tokensBefore?: number };

/** A part of the file that was left out or changed. */
export type ImportNote = { line: number; text: string };

/** One value of the file: a line of JSONL, or one message of a JSON list. */
export type FileRecord = { line: number; value: unknown };

export type ParsedRecording = { items: ImportedItem[]; system: string[]; notes: ImportNote[] };

/** The latest date that JavaScript can format. */
const LATEST_MS = 253_402_300_799_999;

/** Returns milliseconds for an ISO time or for a number of milliseconds; undefined for any other value. */
export function parseTime(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && ms >= 0 && ms <= LATEST_MS ? Math.round(ms) : undefined;
}

/** The place of a record in the file, and its time when one was recorded. */
export type RecordedAt = { line: number; atMs?: number };

export function recordedAt(line: number, time: unknown): RecordedAt {
  return { line, ...omitUndefined({ atMs: parseTime(time) }) };
}

/** Reads the blocks of a message; parts that are not understood become a note. */
export function readBlocks(content: unknown, line: number, notes: ImportNote[]): Block[] {
  const { blocks, unknown } = readContent(content);
  if (unknown.length > 0) notes.push({ line, text: `left out: ${[...new Set(unknown)].join(', ').slice(0, 200)}` });
  return blocks;
}
