/** The record of every call, written when it is made: of whole runs, of one that overflows, of one that is killed (S4.5, S4.6). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect, test } from 'vitest';
import type { CallRecord } from '../../src/transcript/call-record.ts';
import { lastJson } from '../support/cli.ts';
import type { Meddle } from '../support/relay.ts';
import { openWire, type Step, type WireRun } from '../support/wire.ts';

const page = (n: number) => `page ${n}\n${`line of page ${n}, which says little\n`.repeat(680)}`;
const files = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`scenarios/desk/pages/p${n}.md`, page(n)]));
const reads = [1, 2, 3, 4, 5, 6].map((n) => `pages/p${n}.md`);
const readAll: Step[] = reads.map((path) => ({
  calls: [{ tool: 'read', input: { file_path: `scenario/${path}` } }],
}));

async function linesOf(run: Pick<WireRun, 'folder'>, agent: string): Promise<CallRecord[]> {
  const text = await readFile(join(run.folder, `transcripts/${agent}.calls.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CallRecord);
}

test('every request of both agents is on record before it is sent, with what it was allowed, expected and billed (S4.6)', async () => {
  const wire = await openWire({
    files: {
      ...files,
      'config/context/near.yaml': stringify({ extends: 'two-agent', name: 'near', trigger: { tokens: 45_000 } }),
    },
    reads,
    init: readAll,
  });
  const run = await wire.run('--policy', 'near');
  expect(run).toMatchObject({ code: 0 });
  for (const agent of ['init', 'execute'] as const) {
    const lines = await linesOf(run, agent);
    const ended = lines.filter(({ outcome }) => outcome === 'answered');
    expect(ended).toHaveLength(wire.sent(agent).length);
    expect(lines.filter(({ outcome }) => outcome === undefined).map(({ id }) => id)).toEqual(ended.map(({ id }) => id));
    // The record is the one place that has times: no file beside it, and no time in the transcript.
    expect((await readdir(join(run.folder, 'transcripts'))).filter((name) => name.includes('times'))).toEqual([]);
    expect(await readFile(join(run.folder, `transcripts/${agent}.jsonl`), 'utf8')).not.toMatch(/"(at|ms)":/);
    for (const { limit, estimate = 0, usage, costUsd, ms, at, answeredAt = '', model } of ended) {
      expect(Date.parse(answeredAt)).toBeGreaterThanOrEqual(Date.parse(at ?? ''));
      expect(limit).toMatchObject({
        policy: 'near',
        window: 1_000_000,
        trigger: 45_000,
        target: 22_500,
        reserved: 16_000,
      });
      expect([typeof at, typeof ms, typeof costUsd, typeof model]).toEqual(['string', 'number', 'number', 'string']);
      const billed =
        (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
      expect(Math.abs(estimate / billed - 1)).toBeLessThan(0.35);
    }
  }
  const calls = await linesOf(run, 'init');
  const rewritten = calls.find(({ rewrites, outcome }) => outcome === 'answered' && rewrites.length > 0);
  expect(rewritten?.rewrites[0]).toMatchObject({
    receipt: {
      policy: 'near',
      decisions: expect.arrayContaining([expect.objectContaining({ taken: true, fits: true, goal: 22_500 })]),
    },
  });
  expect(rewritten?.left).toMatchObject({
    where: 'recall <id>',
    ranges: expect.arrayContaining([expect.objectContaining({ why: 'summarised' })]),
  });
  expect(calls.some(({ purpose, usage }) => purpose === 'summary' && usage !== undefined)).toBe(true);
});

/** The endpoint says that its models have a window of so many tokens. */
const windowOf =
  (tokens: number): Meddle =>
  ({ path }) => {
    const [, id] = /^\/v1\/models\/([\w.-]+)/.exec(path) ?? [];
    if (id === undefined) return undefined;
    const card = { id, type: 'model', display_name: id, created_at: '2026-01-01T00:00:00Z' };
    const body = JSON.stringify({ ...card, max_input_tokens: tokens, max_tokens: 8000, capabilities: null });
    return (outgoing) => void outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };

test('an overflow leaves every try in the record, in step.failed, and on the screen (S4.4, S4.5, S4.6)', async () => {
  // A long list of sources makes a long task, which code carries over every compaction.
  const notes = Array.from({ length: 800 }, (_, n) => `notes/${'a-note-with-a-rather-long-name-'.repeat(6)}${n}.md`);
  const all = { ...files, ...Object.fromEntries(notes.map((path) => [`scenarios/desk/${path}`, 'x\n'])) };
  const wire = await openWire({ files: all, reads: [...reads, ...notes], init: readAll, meddle: windowOf(48_000) });
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('design.r1 failed');
  const events = await readdir(join(run.folder, 'events'));
  const bodies = await Promise.all(
    events
      .toSorted()
      .map(
        async (name) =>
          (JSON.parse(await readFile(join(run.folder, 'events', name), 'utf8')) as { body: Record<string, unknown> })
            .body,
      ),
  );
  const failed = bodies.find(({ type }) => type === 'step.failed');
  expect(failed).toMatchObject({ code: 'context_overflow' });
  const said = /\[call design\.r1\.main\.\d{4}, about \d+ tokens, (\d+) tries to make it fit: tandem context show/.exec(
    String(failed?.['message']),
  );
  const shown = lastJson(await wire.tandem(['context', 'show', run.id, 'init', '--json'])) as unknown as {
    contexts: { picture: { history: { unanswered: { outcome: string; decisions: Record<string, unknown>[] }[] } } }[];
  };
  const [call] = shown.contexts[0]?.picture.history.unanswered ?? [];
  expect(call).toMatchObject({ outcome: 'not_sent', error: { code: 'context_overflow' } });
  expect(call?.decisions.length).toBeGreaterThanOrEqual(1);
  expect(call?.decisions.length).toBe(Number(said?.[1]));
  for (const decision of call?.decisions ?? [])
    expect(decision).toMatchObject({
      goal: expect.any(Number),
      fits: false,
      taken: false,
      why: expect.any(String),
    });
  const screen = await wire.tandem(['context', 'show', run.id]);
  expect(screen.stdout).toContain('Calls without an answer');
  expect(screen.stdout).toContain('1. keep-latest-steps');
});

test('a call under way is shown live, after a kill too, and answered in the end (S4.6)', async () => {
  let hold = true;
  const wire = await openWire({
    files,
    reads,
    init: readAll.slice(0, 2),
    meddle: ({ who, number, path }) =>
      hold && who === 'init' && number === 2 && !path.includes('count') ? () => undefined : undefined,
  });
  const child = wire.start(['run', 'desk', '--profile', 'wire', '--id', 'held', '--on-gate', 'exit']);
  await expect.poll(() => wire.sent('init').length, { timeout: 30_000 }).toBe(2);
  const live = await wire.tandem(['context', 'show', 'held']);
  expect(live.stdout).toMatch(/design\.r1\.main\.0002 under way/);
  expect(live.stdout).toMatch(/1 call\b/);
  child.kill('SIGKILL');
  const dead = await wire.tandem(['context', 'show', 'held']);
  expect(dead.stdout).toMatch(/design\.r1\.main\.0002 under way, or its process died/);
  hold = false;
  const resumed = await wire.tandem(['resume', 'held', '--profile', 'wire', '--on-gate', 'exit', '--json']);
  expect(resumed.code).toBe(4);
  const after = await wire.tandem(['context', 'show', 'held']);
  expect(after.stdout).not.toContain('Calls without an answer');
});

test('a step that fails before any call says so where its context is looked for (S4.5)', async () => {
  let tokens = 1_000_000;
  const wire = await openWire({ meddle: (passing) => windowOf(tokens)(passing) });
  const run = await wire.run('--on-gate', 'exit');
  tokens = 14_000;
  const resumed = await wire.decide(run.id, 'approve', '');
  expect(resumed.stderr).toContain('execute.i1: The window of 14000 tokens is too small');
  expect(wire.sent('execute')).toEqual([]);
  const shown = await wire.tandem(['context', 'show', run.id, 'execute']);
  expect(shown.stdout + shown.stderr).toContain('The window of 14000 tokens is too small');
});
