/** Memory in one SQLite file, or in none (`:memory:`), with a full-text index that is rebuilt from the transcripts when it is broken. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { HarnessError, describeError } from '../../errors.ts';
import { MemoryLevel, type Memory, type MemoryItem, type MemoryQuery, type MemoryHit } from '../../ports/memory.ts';

/** A file with another version number was written by another program version, and is rebuilt. */
const VERSION = 1;
/** The longest wait for other workers, which write to the same index; each write is short. */
const BUSY_MS = 5000;

const SCHEMA = `
  CREATE TABLE items(
    number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, run TEXT NOT NULL, agent TEXT NOT NULL, lane TEXT NOT NULL,
    entry TEXT NOT NULL, level TEXT NOT NULL, outcome TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX items_run ON items(run);
  CREATE VIRTUAL TABLE words USING fts5(terms, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
  PRAGMA user_version = ${VERSION};`;

/** Throws `infrastructure` when no file can be created at this path. */
export async function openSqliteMemory(path: string): Promise<Memory> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return memoryOn(openSound(path) ?? (await rebuildIndex(path)), path);
  } catch (cause) {
    throw brokenIndex('opened', path, cause);
  }
}

async function rebuildIndex(path: string): Promise<DatabaseSync> {
  for (const end of ['', '-journal', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
  const made = openSound(path);
  if (made === undefined) throw new Error('a new file cannot be used either');
  return made;
}

/** Returns undefined for a file that is not an index of this version. */
function openSound(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(path, { timeout: BUSY_MS });
    database = opened;
    // Another process may have created it in between.
    if (isEmpty(opened)) runInTransaction(opened, () => isEmpty(opened) && opened.exec(SCHEMA));
    if (readVersion(opened) !== VERSION) throw new Error('another version');
    database.prepare('SELECT count(*) FROM words').get();
    return database;
  } catch (error) {
    database?.close();
    // Another process is creating the file: it is not broken.
    if (isBusy(error)) throw error;
    return undefined;
  }
}

function readVersion(database: DatabaseSync): number {
  return z.object({ user_version: z.number() }).parse(database.prepare('PRAGMA user_version').get()).user_version;
}

function isEmpty(database: DatabaseSync): boolean {
  const { n } = z.object({ n: z.number() }).parse(database.prepare('SELECT count(*) n FROM sqlite_schema').get());
  return n === 0 && readVersion(database) === 0;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
}

function runInTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const done = work();
    database.exec('COMMIT');
    return done;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function memoryOn(database: DatabaseSync, path: string): Memory {
  const guarded = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (cause) {
      throw brokenIndex('used', path, cause);
    }
  };
  return {
    remember: (items) =>
      guarded(() => runInTransaction(database, () => items.forEach((item) => putItem(database, item)))),
    search: (query) => guarded(() => findHits(database, query)),
    forget: (run) => guarded(() => runInTransaction(database, () => deleteItems(database, 'run = ?', run))),
    runs: () =>
      guarded(() =>
        z
          .array(Run)
          .parse(database.prepare('SELECT DISTINCT run FROM items ORDER BY run').all())
          .map(({ run }) => run),
      ),
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

const Run = z.object({ run: z.string() });

function putItem(database: DatabaseSync, item: MemoryItem): void {
  const { run, agent, lane, entry, level, outcome } = item;
  const text = item.text.slice(0, ITEM_CHARS).toWellFormed().replaceAll('\0', ' ');
  const key = JSON.stringify([run, agent, entry]);
  deleteItems(database, 'key = ?', key);
  const { lastInsertRowid } = database
    .prepare('INSERT INTO items(key, run, agent, lane, entry, level, outcome, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    .run(key, run, agent, lane, entry, level, outcome, text);
  database
    .prepare('INSERT INTO words(rowid, terms) VALUES (?, ?)')
    .run(lastInsertRowid, extractTerms(text, ITEM_CHARS).join(' '));
}

/** `condition` is a constant of this file, never a text from outside. */
function deleteItems(database: DatabaseSync, condition: 'run = ?' | 'key = ?', value: string): number {
  database.prepare(`DELETE FROM words WHERE rowid IN (SELECT number FROM items WHERE ${condition})`).run(value);
  return Number(database.prepare(`DELETE FROM items WHERE ${condition}`).run(value).changes);
}

const Row = z.object({
  ...{ key: z.string(), run: z.string(), agent: z.string(), lane: z.string(), entry: z.string() },
  ...{ level: MemoryLevel, outcome: z.string(), text: z.string() },
});

/** Returns items with every word first, then items with some, each sorted by rank. */
function findHits(database: DatabaseSync, { text, limit, level }: MemoryQuery): MemoryHit[] {
  const terms = queryTerms(text);
  const most = Number.isFinite(limit) ? Math.min(MOST_FOUND, Math.max(0, Math.floor(limit))) : MOST_FOUND;
  if (terms.length === 0 || most === 0) return [];
  const statement = database.prepare(
    `SELECT items.* FROM words JOIN items ON items.number = words.rowid
     WHERE words MATCH ? AND (? IS NULL OR items.level = ?) ORDER BY bm25(words), items.number DESC LIMIT ?`,
  );
  const matching = (operator: 'AND' | 'OR') =>
    z
      .array(Row)
      .parse(statement.all(terms.map(formatPhrase).join(` ${operator} `), level ?? null, level ?? null, most));
  const every = matching('AND');
  const rows = every.length >= most || terms.length === 1 ? every : [...every, ...matching('OR')];
  const distinct = [...new Map(rows.map((row) => [row.key, row])).values()].slice(0, most);
  return distinct.map(({ key: _key, ...item }) => ({ ...item, snippet: createSnippet(item.text, terms) }));
}

/** A term contains letters and digits only, so none can end the quotes. */
function formatPhrase({ term, prefix }: Term): string {
  return `"${term}"${prefix ? ' *' : ''}`;
}

function brokenIndex(doing: string, path: string, cause: unknown): HarnessError {
  const message = `The index of past sessions cannot be ${doing} (${path}): ${describeError(cause)}. It can be deleted: the next run with memory makes it anew.`;
  return new HarnessError('infrastructure', message, { details: { path }, cause });
}

/** The number of characters of an item that are indexed; the transcript contains the rest. */
const ITEM_CHARS = 20_000;
const MOST_FOUND = 200;

/** Scripts that do not separate words by spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = /[\p{L}\p{N}]+/gu;
/** The longest word that is indexed. */
const LONGEST_WORD = 64;

/** Returns the terms in the order of the text. */
function extractTerms(text: string, mostChars: number): string[] {
  const plain = text
    .slice(0, mostChars)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  return [...plain.matchAll(WORDS)].flatMap(([word]) => [...splitWord(word)]);
}

/** `refund退款到卡` -> refund, 退款, 款到, 到卡, 卡: the last character alone lets a single character be found as a prefix. */
function* splitWord(word: string): Generator<string> {
  let spaced = '';
  const signs = Array.from(word);
  for (const [place, sign] of signs.entries()) {
    if (!UNSPACED.test(sign)) {
      spaced += sign;
      continue;
    }
    if (spaced !== '') yield spaced.slice(0, LONGEST_WORD);
    spaced = '';
    const next = signs[place + 1];
    yield next !== undefined && UNSPACED.test(next) ? `${sign}${next}` : sign;
  }
  if (spaced !== '') yield spaced.slice(0, LONGEST_WORD);
}

/** A longer query is a whole document, of which the beginning is enough. */
const QUERY_CHARS = 4000;
const QUERY_TERMS = 48;

type Term = { term: string; prefix: boolean };

/** Returns each word once. The last character of a run of pairs counts only when it is alone. */
function queryTerms(text: string): Term[] {
  const terms = extractTerms(text, QUERY_CHARS).filter((term, place, all) => !endsRun(term, all[place - 1]));
  const distinct = [...new Set(terms)].slice(0, QUERY_TERMS);
  return distinct.map((term) => ({ term, prefix: Array.from(term).length === 1 && UNSPACED.test(term) }));
}

/** A single last character adds nothing to the pair before it. */
function endsRun(term: string, before: string | undefined): boolean {
  const [first, second] = Array.from(before ?? '');
  return second !== undefined && second === term && UNSPACED.test(term) && first !== undefined && UNSPACED.test(first);
}

const BEFORE = 60;
const LENGTH = 240;

/** Returns one line around the first search word, or the beginning when folded accents hide its position. */
function createSnippet(text: string, terms: readonly Term[]): string {
  const line = text
    .slice(0, 100_000)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const lower = line.toLowerCase();
  const places = terms.map(({ term }) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE);
  const to = from + LENGTH;
  return `${from > 0 ? '…' : ''}${line.slice(from, to).toWellFormed()}${to < line.length ? '…' : ''}`;
}
