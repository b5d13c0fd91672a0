/** What every reader of a foreign recording makes of its lines, before they become entries. */
import type { Block, StopReason, Usage } from '../../transcript/message.ts';

/** One thing that was said; `line` is where in the file. */
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
  /** The recorder compacted here: what follows was measured on its own view. */
  | { kind: 'compacted'; line: number; tokensBefore?: number };

/** Something in the file that could not be used, or was used otherwise than it stands there. */
export type ImportNote = { line: number; text: string };

/** One value of the file: a line of JSONL, or one message of a JSON list. */
export type FileRecord = { line: number; value: unknown };

export type ParsedRecording = { items: ImportedItem[]; system: string[]; notes: ImportNote[] };

/** The last moment that a date can be. */
const LATEST_MS = 253_402_300_799_999;

/** Milliseconds of an ISO time or of a number that is one already; undefined for everything else. */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && ms >= 0 && ms <= LATEST_MS ? Math.round(ms) : undefined;
}
