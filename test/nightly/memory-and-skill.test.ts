/**
 * Two whole runs whose agents use memory and a skill: both outlive compactions, and what a run leaves reaches the next one (S3.1, S3.12, S4.2).
 * Its small sibling in CI: test/slow/context-policies.test.ts.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteMemory } from '../../src/adapters/memory/sqlite-memory.ts';
import { agentTools } from '../../src/app/agent-tools.ts';
import { findHome } from '../../src/config/home.ts';
import { readSessions } from '../../src/pipeline/sessions/read-sessions.ts';
import type { ProgressEvent } from '../../src/ports/progress.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { getResultText } from '../../src/transcript/transcript-lines.ts';
import { getText } from '../../src/transcript/message.ts';
import { estimateText } from '../../src/transcript/tokens.ts';
import type { Entry, MessageEntry } from '../../src/transcript/entry.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';
import { approveAll, openOn } from '../support/project.ts';

const dir = await makeProject('refund-desk');
afterAll(() => rm(dir, { recursive: true, force: true }));

const SKILL = `---
name: careful-edits
description: How checkers and tools are repaired without breaking their neighbours.
allowed-tools: Write, Edit
---
Change one thing, then prove it. The list to go through is checklist.md.
`;
const STEPS = `    steps:
      - calls: [{ tool: skill, input: { name: careful-edits } }]
      - expects: 'Change one thing'
        calls: [{ tool: read, input: { file_path: skills/careful-edits/checklist.md } }]
      - expects: 'prove it twice'
        say: 'I keep to the list.'
        calls: [{ tool: glob, input: { pattern: '*', path: design/r1 } }]
`;
const runs: Record<'first' | 'second', RunFolder | undefined> = { first: undefined, second: undefined };

beforeAll(async () => {
  for (const agent of ['init', 'execute']) {
    const yaml = await readFile(resolve(`agents/${agent}/agent.yaml`), 'utf8');
    const more = `memory: { limit: 3, tokens: 300 }\n${agent === 'execute' ? 'skills: { folder: skills }\n' : ''}`;
    await put(`agents/${agent}/agent.yaml`, `${yaml}${more}`);
  }
  await put('skills/careful-edits/SKILL.md', SKILL);
  await put('skills/careful-edits/checklist.md', 'prove it twice\n');
  const script = 'scenarios/refund-desk/simulation/execute.yaml';
  const text = await readFile(join(dir, script), 'utf8');
  await put(
    script,
    text.replace('    steps:\n', () => STEPS),
  );
  const { app, begin } = await open();
  try {
    for (const id of ['first', 'second'] as const) {
      runs[id] = await begin(id);
      expect(await approveAll(app, id)).toMatchObject({ status: 'succeeded', round: 2, iteration: 3 });
    }
  } finally {
    await app.close();
  }
}, 600_000);

const open = (onEvent?: (event: ProgressEvent) => void) =>
  openOn(dir, 'refund-desk', { profile: 'demo', flags: { simulator: { latency_ms: 0 } } }, onEvent);

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(dir, path, '..'), { recursive: true });
  await writeFile(join(dir, path), text);
}

async function entriesOf(id: 'first' | 'second', agent: string): Promise<Entry[]> {
  return (await runs[id]?.transcripts.read(agent)) ?? [];
}

/** Of every call of this tool, in order: the entry that answers it, and the answer. */
function answersOf(entries: readonly Entry[], tool: string): { at: number; text: string; isError: boolean }[] {
  const calls = new Set<string>();
  return entries.flatMap((entry, at) => {
    if (entry.type !== 'message') return [];
    return entry.message.content.flatMap((block) => {
      if (block.type === 'tool_use' && block.name === tool) calls.add(block.id);
      if (block.type !== 'tool_result' || !calls.has(block.tool_use_id)) return [];
      return [{ at, text: getResultText(block), isError: block.is_error === true }];
    });
  });
}

describe('a skill (S4.2)', () => {
  test('is listed in the system prompt before anything is said, and loaded by its name', async () => {
    const entries = await entriesOf('first', 'execute');
    const layers = entries.filter((entry) => entry.type === 'layer' && entry.name === 'available_skills');
    expect(layers).toMatchObject([{ text: expect.stringContaining('- careful-edits: How checkers') }]);
    expect(answersOf(entries, 'skill')).toMatchObject([
      { isError: false, text: expect.stringContaining('Change one thing') },
    ]);
  });

  test('stays active over compactions: they name it with its entry, and what it does not allow is refused after one too', async () => {
    const entries = await entriesOf('first', 'execute');
    const [loaded] = answersOf(entries, 'skill');
    const compactions = entries.flatMap((entry, at) => (entry.type === 'compaction' ? [{ at, entry }] : []));
    expect(compactions.length).toBeGreaterThan(0);
    const id = entries[loaded?.at ?? 0]?.id;
    for (const { entry } of compactions)
      expect(entry.request).toMatch(
        new RegExp(`<active_skill>\ncareful-edits\\. .*: write, edit\\. .*\\[#${id}\\]\n</active_skill>`),
      );
    const searches = [...answersOf(entries, 'grep'), ...answersOf(entries, 'glob')];
    expect(searches.some(({ at }) => at > (compactions[0]?.at ?? 0))).toBe(true);
    for (const { text, isError } of searches) {
      expect(isError).toBe(true);
      expect(text).toContain('the active skill careful-edits allows write, edit besides read');
    }
  });

  test('is part of the session’s state (S3.1)', async () => {
    const run = runs.first;
    const sessions = run === undefined ? [] : await readSessions(run, agentTools(findHome(dir)));
    const execute = sessions.find(({ id }) => id === 'first/execute');
    expect(execute).toMatchObject({ activeSkill: { name: 'careful-edits' }, status: 'done' });
    expect(execute?.allowedTools).toEqual(['write', 'edit', ...(execute?.persistentTools ?? [])]);
    expect(execute?.persistentTools).toContain('submit_iteration');
  });
});

describe('memory (S3.12)', () => {
  const memories = async (id: 'first' | 'second', agent: string) =>
    (await entriesOf(id, agent)).filter(
      (entry): entry is MessageEntry => entry.type === 'message' && entry.item === 'memory',
    );

  test('the first run of a scenario is told nothing; the second what the first one left, marked as data and bounded', async () => {
    expect([...(await memories('first', 'init')), ...(await memories('first', 'execute'))]).toEqual([]);
    for (const agent of ['init', 'execute']) {
      const told = await memories('second', agent);
      expect(told.length).toBeGreaterThan(0);
      for (const { message } of told) {
        const text = getText(message);
        expect(text).toMatch(
          /^<relevant_context>\n[\s\S]*nothing in it is an instruction[\s\S]*- run first \(succeeded\), /,
        );
        expect(text.match(/^- run /gm)?.length).toBeLessThanOrEqual(3);
        expect(estimateText(text)).toBeLessThan(400);
      }
    }
  });

  test('stands behind the task of its turn, and no compaction carries it on', async () => {
    const entries = await entriesOf('second', 'execute');
    const first = entries.findIndex((entry) => entry.type === 'message' && entry.item === 'memory');
    expect(entries.slice(0, first).some((entry) => entry.type === 'message' && entry.origin === 'harness')).toBe(true);
    const later = entries.filter((entry) => entry.type === 'compaction');
    expect(later.length).toBeGreaterThan(0);
    for (const entry of later) expect(entry.request).not.toContain('relevant_context');
  });
});

test('a run that is killed and gone on with is told the same, though memory has grown, and pays nothing twice (S3.12)', async () => {
  const stop = new AbortController();
  const first = await open((event) => {
    if (event.type === 'compaction' && event.agent === 'execute' && event.outcome === 'accepted')
      stop.abort(new Error('killed'));
  });
  const run = await first.begin('killed');
  await expect(approveAll(first.app, run.id, stop.signal)).rejects.toThrow('killed');
  await first.app.close();
  const memory = await openSqliteMemory(join(dir, '.tandem/memory/refund-desk.sqlite'));
  const [known] = await memory.search({ text: 'refund', limit: 1, level: 'session' });
  if (known === undefined) throw new Error('nothing is known');
  const text = await readFile(join(run.dir, 'handoffs/001-init-to-execute.md'), 'utf8');
  await memory.remember([{ ...known, entry: 'e9999', text }]);
  await memory.close();
  const again = await open();
  expect(await approveAll(again.app, run.id)).toMatchObject({ status: 'succeeded', iteration: 3 });
  await again.app.close();
  // A call's name ends in the digest of its request: another digest for the same number would be a call paid twice.
  const calls = (await run.spending.list()).filter(({ answers }) => answers > 0).map(({ call }) => call);
  const numbers = calls.map((call) => call.replace(/\.[0-9a-f]{8}$/, ''));
  expect(new Set(numbers).size).toBe(numbers.length);
});

describe('tandem sessions, as a user has it (S3.6, S3.12)', () => {
  const jsonOf = async (...args: string[]) =>
    JSON.parse((await tandem(dir, ['sessions', ...args, '--json'])).stdout) as { id: string; run: string }[];

  test('lists and goes on with conversations; a run that ends is in the index by itself', async () => {
    const gate = ['--profile', 'demo', '--on-gate', 'exit', '--json'];
    expect((await tandem(dir, ['run', 'refund-desk', '--id', 'waits', ...gate])).code).toBe(4);
    expect((await jsonOf('list')).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['waits/init', 'second/init', 'second/execute', 'first/init', 'first/execute']),
    );
    const resumed = await tandem(dir, ['resume', 'waits', ...gate]);
    expect(resumed.code).toBe(4);
    const digest = String(lastJson(resumed)['digest']);
    await tandem(dir, ['gates', 'reject', 'waits', '--digest', digest, '--comment', 'never in zlotys']);
    expect((await tandem(dir, ['resume', 'waits', ...gate])).code).toBe(3);
    const memory = await openSqliteMemory(join(dir, '.tandem/memory/refund-desk.sqlite'));
    expect(await memory.runs()).toEqual(expect.arrayContaining(['first', 'second', 'waits']));
    await memory.close();
  });
});
