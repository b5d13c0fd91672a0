/** Reads a conversation that any of the known harnesses recorded; the format is detected from the file. */
import { usageError } from '../../errors.ts';
import { Entry } from '../../transcript/entry.ts';
import { readJson } from '../foreign-text.ts';
import { arrangeItems, type Arranged } from './arrange.ts';
import { isClaudeCode, readClaudeCode } from './claude-code.ts';
import type { FileRecord, ImportNote, ParsedRecording } from './imported-item.ts';
import { readMessages } from './messages.ts';

export type Imported = Arranged & { format: 'tandem' | 'claude-code' | 'messages' | 'openai'; system: string[] };

/** Contract: throws `usage`, with the line, when no message can be read; any other fault becomes a note. */
export function importTranscript(text: string, shown: string): Imported {
  const { records, notes, whole } = splitRecords(text, shown);
  const format = detectFormat(records);
  const read = format === 'tandem' ? readTandem(records) : readForeign(format, records, whole);
  const all = [...notes, ...read.notes].toSorted((one, other) => one.line - other.line);
  if (read.entries.length > 0) return { format, ...read, notes: all };
  const [first] = all;
  throw usageError(
    `${shown}: line ${first?.line ?? 1}: no message of a conversation was found${first === undefined ? '' : ` (${first.text})`}.`,
    { details: { file: shown, line: first?.line ?? 1 } },
  );
}

function detectFormat(records: readonly FileRecord[]): Imported['format'] {
  const values = records.slice(0, 50).map(({ value }) => value);
  if (values.some(isTandem)) return 'tandem';
  if (values.some(isClaudeCode)) return 'claude-code';
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

type ParsedTranscript = Omit<Imported, 'format'>;

function readForeign(format: Imported['format'], records: readonly FileRecord[], whole: unknown): ParsedTranscript {
  const read: ParsedRecording = format === 'claude-code' ? readClaudeCode(records) : readMessages(records, whole);
  const arranged = arrangeItems(read.items);
  return { ...arranged, system: read.system, notes: [...read.notes, ...arranged.notes] };
}

/** Compactions are left out, because a replay makes its own; ids stay unchanged. */
function readTandem(records: readonly FileRecord[]): ParsedTranscript {
  const read: ParsedTranscript = { system: [], entries: [], compactions: [], notes: [] };
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

/** The records of a file with the line on which each begins; broken lines are noted and left out. */
type RecordList = { records: FileRecord[]; notes: ImportNote[]; whole?: unknown };

/** Splits a JSON list, a JSON object with a list of messages, or JSONL. Throws `usage` for any other text. */
export function splitRecords(text: string, shown: string): RecordList {
  const clean = text.replace(/^\uFEFF/, '');
  const whole = readJson(clean);
  if ('value' in whole && typeof whole.value === 'object' && whole.value !== null) {
    const list = findMessageList(whole.value);
    if (list !== undefined) {
      const lines = findElementLines(clean);
      const records = list.map((value: unknown, place) => ({ line: lines[place] ?? 1, value }));
      return { records, notes: [], whole: whole.value };
    }
  }
  const cut = splitLines(clean);
  if (cut.records.length > 0) return cut;
  const [first] = cut.notes;
  throw usageError(
    `${shown}: line ${first?.line ?? 1}: ${first?.text ?? 'the file is empty'}. Expected a transcript: JSONL of Tandem ` +
      `or Claude Code, or JSON with a list of messages.`,
    { details: { file: shown, line: first?.line ?? 1 } },
  );
}

/** The list of messages in a JSON value: the value itself, or the messages of a request body. */
function findMessageList(value: object): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const messages: unknown = Reflect.get(value, 'messages');
  return Array.isArray(messages) ? messages : undefined;
}

function splitLines(text: string): RecordList {
  const records: FileRecord[] = [];
  const notes: ImportNote[] = [];
  const lines = text.split('\n');
  for (const [index, raw] of lines.entries()) {
    if (raw.trim() === '') continue;
    const parsed = readJson(raw);
    const torn = index === lines.length - 1 && records.length > 0;
    if ('value' in parsed) records.push({ line: index + 1, value: parsed.value });
    else
      notes.push({
        line: index + 1,
        text: torn ? `the last line is torn (${parsed.fault})` : `not JSON (${parsed.fault})`,
      });
  }
  return { records, notes };
}

/** Finds the line of every element of the list by counting brackets outside of strings; a deeper key `messages` does not count. */
function findElementLines(text: string): number[] {
  const isBare = text.trimStart().startsWith('[');
  const level = isBare ? 1 : 2;
  const lines: number[] = [];
  let [line, depth, key] = [1, 0, ''];
  let [isInside, isWaiting] = [false, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '\n') line += 1;
    if (/\s/.test(sign)) continue;
    const isBetween = isInside && depth === level;
    if (isBetween && sign === ']') break;
    if (isBetween && isWaiting) lines.push(line);
    if (isBetween) isWaiting = sign === ',';
    if (sign === '"') {
      const end = findStringEnd(text, at);
      if (depth === 1) key = text.slice(at, end + 1);
      at = end;
    } else if (sign === '[' || sign === '{') {
      depth += 1;
      if (sign === '[' && depth === level && (isBare || key === '"messages"')) isInside = isWaiting = true;
    } else if (sign === ']' || sign === '}') depth -= 1;
  }
  return lines;
}

function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
