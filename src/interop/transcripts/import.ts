/** Reads a conversation that any of the known harnesses recorded; the format is detected from the file. */
import { HarnessError } from '../../errors.ts';
import { Entry, type MessageEntry } from '../../transcript/entry.ts';
import { arrange } from './arrange.ts';
import { isClaudeCode, readClaudeCode } from './claude-code.ts';
import type { FileRecord, ImportNote, ParsedRecording } from './item.ts';
import { readMessages } from './messages.ts';
import { isPi, readPi } from './pi.ts';
import { splitRecords } from './records.ts';

export type Imported = {
  format: 'tandem' | 'claude-code' | 'pi' | 'messages' | 'openai';
  system: string[];
  /** One lane, without the compactions of the recorder. */
  entries: MessageEntry[];
  /** Where the recorder compacted its own context. */
  compactions: { line: number; tokensBefore?: number }[];
  /** The parts that were left out or changed, with their lines. */
  notes: ImportNote[];
};

/** Contract: throws `usage`, with the line, when no message can be read; any other fault becomes a note. */
export function importTranscript(text: string, shown: string): Imported {
  const { records, notes, whole } = splitRecords(text, shown);
  const format = formatOf(records);
  const read = format === 'tandem' ? readTandem(records) : readForeign(format, records, whole);
  const all = [...notes, ...read.notes].toSorted((one, other) => one.line - other.line);
  if (read.entries.length > 0) return { format, ...read, notes: all };
  const [first] = all;
  throw new HarnessError(
    'usage',
    `${shown}: line ${first?.line ?? 1}: no message of a conversation was found${first === undefined ? '' : ` (${first.text})`}.`,
    { details: { file: shown, line: first?.line ?? 1 } },
  );
}

function formatOf(records: readonly FileRecord[]): Imported['format'] {
  const values = records.slice(0, 50).map(({ value }) => value);
  if (values.some(isTandem)) return 'tandem';
  if (values.some(isClaudeCode)) return 'claude-code';
  if (values.some(isPi)) return 'pi';
  return records.some(({ value }) => isOpenAi(value)) ? 'openai' : 'messages';
}

function isTandem(value: unknown): boolean {
  return hasKey(value, 'version') && hasKey(value, 'lane') && hasKey(value, 'parents');
}

function isOpenAi(value: unknown): boolean {
  if (hasKey(value, 'tool_calls') || hasKey(value, 'tool_call_id') || hasKey(value, 'function_call')) return true;
  return hasKey(value, 'role') && (Reflect.get(value, 'role') === 'tool' || Reflect.get(value, 'role') === 'developer');
}

function hasKey(value: unknown, key: string): value is object {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

type Foreign = Omit<Imported, 'format'>;

function readForeign(format: Imported['format'], records: readonly FileRecord[], whole: unknown): Foreign {
  const read: ParsedRecording =
    format === 'claude-code'
      ? readClaudeCode(records)
      : format === 'pi'
        ? readPi(records)
        : readMessages(records, whole);
  const arranged = arrange(read.items);
  return { ...arranged, system: read.system, notes: [...read.notes, ...arranged.notes] };
}

/** Our own: compactions are left out, because a replay makes its own; ids stay unchanged. */
function readTandem(records: readonly FileRecord[]): Foreign {
  const read: Foreign = { system: [], entries: [], compactions: [], notes: [] };
  for (const { line, value } of records) {
    const entry = Entry.safeParse(value);
    if (!entry.success) {
      const [issue] = entry.error.issues;
      read.notes.push({ line, text: `no entry: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` });
    } else if (entry.data.type === 'message') {
      if (entry.data.lane === 'main') read.entries.push(entry.data);
    } else if (entry.data.type === 'compaction')
      read.compactions.push({ line, tokensBefore: entry.data.receipt.tokensBefore });
  }
  return read;
}
