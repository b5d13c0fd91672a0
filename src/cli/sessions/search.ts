/** `tandem sessions search|index`: searches past sessions by their messages, and maintains the index for it (S3.12). */
import { openMemory, openTemporaryMemory } from '../../app/open-memory.ts';
import { openSessionStore, openStore } from '../../app/open-store.ts';
import { findHome, type Home } from '../../config/home.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { indexScenario, type IndexReport } from '../../pipeline/sessions/index-sessions.ts';
import { toMemoryItems } from '../../pipeline/sessions/session-items.ts';
import { readSession } from '../../run-folder/session-events.ts';
import { MemoryLevel, type Memory, type MemoryHit } from '../../ports/memory.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { parseOptionalCount } from '../parse-numbers.ts';

export type SearchFlags = TextFlags<'scenario' | 'level' | 'limit'> & JsonFlag;

const MOST_FOUND = 10;

type SessionHit = MemoryHit & { scenario: string };

/** Runs that ended since the last search are indexed first, so that nobody has to index by hand. */
export async function searchSessions(words: readonly string[], flags: SearchFlags, io: Io): Promise<number> {
  const text = words.join(' ');
  if (text.trim() === '') throw usageError('Search for what? For example: tandem sessions search "gift card"');
  const limit = parseOptionalCount('--limit', flags.limit) ?? MOST_FOUND;
  const level = parseLevel(flags.level);
  const home = findHome(io.cwd);
  const read = openStore(home);
  const found: SessionHit[] = [];
  for (const scenario of await listScenarios(read, flags.scenario)) {
    await withMemory(scenario, { home, io }, async (memory) => {
      warnUnreadable(await indexScenario(scenario, memory, read), io);
      found.push(...(await memory.search({ text, limit, level })).map((one) => ({ ...one, scenario })));
    });
  }
  if (flags.scenario === undefined) found.push(...(await searchOwn(home, { text, limit, level })));
  if (flags.json === true) io.out(JSON.stringify(found.map(({ text: _whole, ...one }) => one)));
  else if (found.length === 0)
    io.out(`Nothing that was said in a session or in a run that has ended holds ${JSON.stringify(text.slice(0, 80))}.`);
  else for (const line of found.flatMap(hitLines)) io.out(terminalText(line));
  return EXIT.met;
}

/** People's own sessions are few and change all the time, so they are read directly instead of indexed. */
async function searchOwn(home: Home, query: Parameters<Memory['search']>[0]): Promise<SessionHit[]> {
  const memory = await openTemporaryMemory();
  for (const folder of await openSessionStore(home).list()) {
    const { agent } = await readSession(folder);
    const where = { run: folder.id, agent, outcome: 'session' };
    await memory.remember(toMemoryItems(await folder.transcripts.read(agent), where));
  }
  return (await memory.search(query)).map((one) => ({ ...one, scenario: 'session' }));
}

/** Deletes the index and builds it again: it never holds anything that the runs do not. */
export async function indexSessions(flags: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const read = openStore(home);
  const reports: ({ scenario: string } & IndexReport)[] = [];
  for (const scenario of await listScenarios(read, undefined)) {
    await withMemory(scenario, { home, io }, async (memory) => {
      const report = await indexScenario(scenario, memory, { ...read, anew: true });
      warnUnreadable(report, io);
      reports.push({ scenario, ...report });
    });
  }
  if (flags.json === true) io.out(JSON.stringify(reports));
  else if (reports.length === 0) io.out('No runs yet, so there is nothing to index.');
  for (const { scenario, runs, items } of flags.json === true ? [] : reports)
    io.out(
      `${scenario}: ${formatCount(items, 'entry', 'entries')} of ${formatCount(runs, 'ended run')} can be searched.`,
    );
  return EXIT.met;
}

function parseLevel(text: string | undefined): MemoryLevel | undefined {
  if (text === undefined) return undefined;
  const level = MemoryLevel.safeParse(text);
  if (level.success) return level.data;
  throw usageError(`--level "${text}": expected ${MemoryLevel.options.join(', ')}.`);
}

async function listScenarios({ store }: ReadDeps, only: string | undefined): Promise<string[]> {
  const all = [...new Set((await store.list()).map(({ scenario }) => scenario))].toSorted();
  if (only === undefined || all.includes(only)) return only === undefined ? all : [only];
  const there = all.length === 0 ? 'No scenario has runs yet' : `Those with runs are ${all.join(', ')}`;
  throw new HarnessError('not_found', `No run of a scenario "${only}". ${there}.`);
}

async function withMemory(
  scenario: string,
  { home, io }: { home: Home; io: Io },
  use: (memory: Memory) => Promise<void>,
): Promise<void> {
  const memory = await openMemory(home, scenario, io.err);
  try {
    await use(memory);
  } finally {
    await memory.close();
  }
}

function warnUnreadable({ unreadable }: IndexReport, io: Io): void {
  for (const { run, why } of unreadable) io.err(`run ${run} cannot be read, so nothing of it is found: ${why}`);
}

function hitLines({ scenario, run, agent, lane, entry, outcome, level, snippet }: SessionHit): string[] {
  const where = `${run}/${agent}${lane === 'main' ? '' : `/${lane}`}`;
  return [`${where}  ${entry}  ${scenario}, ${outcome}, ${level}`, `  ${snippet}`];
}
