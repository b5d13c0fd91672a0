/** `tandem sessions`: what a person and a machine are told of past and present conversations (S3.6). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanAtStart, cleanSessions } from '../../../src/cli/sessions/clean.ts';
import { listSessions, showSession } from '../../../src/cli/sessions/sessions.ts';
import { SessionState } from '../../../src/run/session.ts';
import { z } from 'zod';
import { LIFE, put, runsIn, talk } from '../../support/sessions.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

async function project() {
  const dir = await scratch();
  const runs = runsIn(dir, '2020-11-20T10:00:00.000Z');
  const gated = await runs.make('gated-1', LIFE.gated());
  await gated.transcripts.publish('init', talk([{ harness: 'design it' }, { model: 'designed' }]));
  runs.at('2020-11-20T11:00:00.000Z');
  const done = await runs.make('done-1', LIFE.done());
  await done.transcripts.publish('init', talk([{ harness: 'design it' }, { model: 'designed' }, { human: 'no' }]));
  const lane = { lane: 'subagent-0a0b0c0d', parents: ['e1'] };
  const [task] = talk([{ harness: 'look it up' }]);
  if (task === undefined) throw new Error('no entry');
  await done.transcripts.publish('execute', [...talk([{ harness: 'build it' }]), { ...task, ...lane, id: 'e2' }]);
  return { dir, runs, gated, done, io: fakeIo(dir) };
}

const jsonOf = (io: { lines: string[] }) => z.array(SessionState).parse(JSON.parse(io.lines.at(-1) ?? ''));

describe('S3.6: list', () => {
  test('one line a session, newest run first, with counts, state and workspace', async () => {
    const { io } = await project();
    expect(await listSessions({}, io)).toBe(0);
    expect(io.lines.map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
      ['SESSION', 'STATE'],
      ['done-1/init', 'done'],
      ['done-1/execute', 'done'],
      ['gated-1/init', 'gated'],
    ]);
    expect(io.lines[1]).toMatch(/done\s+\S+\s+3\s+0\s+0\s+0\s+\$0\.00\s+design\/r1/);
  });

  test('--json is one array of whole states; --lanes has the sub-agents’ too', async () => {
    const { io } = await project();
    await listSessions({ json: true, lanes: true }, io);
    expect(jsonOf(io).map(({ id, parentContext }) => [id, parentContext])).toEqual([
      ['done-1/init', null],
      ['done-1/execute', null],
      ['done-1/execute/subagent-0a0b0c0d', 'main'],
      ['gated-1/init', null],
    ]);
  });

  test('a run that cannot be read is told of, and the others are listed', async () => {
    const { io, gated } = await project();
    await put(gated, 'transcripts/init.jsonl', 'nonsense\n');
    expect(await listSessions({}, io)).toBe(0);
    expect(io.lines).toHaveLength(3);
    expect(io.errors.join()).toMatch(/gated-1 cannot be read.*init\.jsonl line 1/);
  });

  test('without runs it says how to begin; a limit that is none is refused', async () => {
    const io = fakeIo(await scratch());
    expect(await listSessions({}, io)).toBe(0);
    expect(io.lines.join()).toMatch(/tandem run/);
    await expect(listSessions({ limit: 'many' }, io)).rejects.toMatchObject({ code: 'usage' });
  });

  test('more runs than shown are said to be there', async () => {
    const { io } = await project();
    await listSessions({ limit: '1' }, io);
    expect(io.errors).toEqual(['1 older runs are not shown: --limit 2']);
  });
});

describe('S3.6: show', () => {
  test('by run, by agent, by lane, by the beginning of an id, and by path', async () => {
    const { io, dir } = await project();
    const path = join(dir, 'scenarios/refund-desk/runs/done-1');
    const names = {
      'done-1': 3,
      'done-1/execute': 1,
      'done-1/execute/subagent-0a0b0c0d': 1,
      'gat/init': 0,
      [`${path}/init`]: 1,
      [path]: 3,
    };
    for (const [name, count] of Object.entries(names)) {
      if (count === 0) continue;
      await showSession(name, { json: true }, io);
      expect(jsonOf(io)).toHaveLength(count);
    }
    await showSession('gated', { json: true }, io);
    expect(jsonOf(io)[0]?.id).toBe('gated-1/init');
  });

  test('what an agent says just now counts, and a torn last line does not', async () => {
    const { io, gated } = await project();
    const live = talk([{ harness: 'x' }, { model: 'y' }, { human: 'z' }], 'design.r2').map((entry, n) => ({
      ...entry,
      id: `e${n + 3}`,
    }));
    const text = live.map((entry) => JSON.stringify(entry)).join('\n');
    await put(gated, 'wip/design.r2@w-1/transcript.jsonl', `${text}\n{"version":1,"id":"e6`);
    await put(gated, 'wip/design.r2@w-2/transcript.jsonl', '');
    await showSession('gated-1/init', { json: true }, io);
    expect(jsonOf(io)[0]).toMatchObject({ messages: { total: 5 }, workspace: 'design/r2' });
  });

  test('shows the fields of the state in the terminal', async () => {
    const { io } = await project();
    await showSession('done-1/init', {}, io);
    const text = io.lines.join('\n');
    for (const part of [
      'id: done-1/init',
      'status: done',
      'runStatus: rejected',
      'userId: user:starter',
      '- submit_design',
    ])
      expect(text).toContain(part);
  });

  test.each([
    ['nobody', /No run is named "nobody"/],
    ['done-1/nobody', /No session is named done-1\/nobody: there are done-1\/init/],
    ['../../etc', /is not a run folder|No run/],
    ['a/b/c/d/e', /is not a run folder|No run/],
  ])('%s is not found, and says what there is', async (name, message) => {
    const { io } = await project();
    await expect(showSession(name, {}, io)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(message),
    });
  });
});

describe('S3.7: clean', () => {
  test('says what it would free, then frees it; --json is one object', async () => {
    const { io, done } = await project();
    await put(done, 'wip/execute.i1@w-1/turns/x.json', 'x'.repeat(2048));
    await cleanSessions({ olderThan: '0m', dryRun: true }, io);
    expect(io.lines).toEqual(['refund-desk/done-1  1 file, 2 kB', 'Would free 2 kB in the workspaces of 1 ended run.']);
    await cleanSessions({ olderThan: '0m', json: true }, io);
    expect(io.json()).toMatchObject({ dryRun: false, bytes: 2048, cleaned: [{ run: 'done-1' }] });
    await cleanSessions({}, io);
    expect(io.lines.at(-1)).toMatch(/^Nothing to free/);
  });

  test('at the start of a command it is done by itself, told in one line, and never in anybody’s way', async () => {
    const { dir, done, gated } = await project();
    const told: string[] = [];
    // Other tests kill processes, whose temporary folders it removes too.
    const tell = (line: string): void => void (line.includes('temporary folder') || told.push(line));
    const home = { project: dir, shipped: dir };
    await cleanAtStart(home, tell);
    expect(told).toEqual([]);
    await put(done, 'wip/execute.i1@w-1/turns/x.json', 'x');
    await put(gated, 'wip/design.r2@w-1/turns/x.json', 'paid');
    await cleanAtStart(home, tell);
    expect(told).toEqual(['Freed 1 bytes in the workspaces of 1 ended run.']);
    expect(existsSync(join(done.dir, 'wip'))).toBe(false);
    expect(existsSync(join(gated.dir, 'wip/design.r2@w-1/turns/x.json'))).toBe(true);
  });

  test.each(['7', 'seven', '-1d', '7w', ''])('--older-than %j is refused', async (olderThan) => {
    await expect(cleanSessions({ olderThan }, fakeIo(await scratch()))).rejects.toMatchObject({ code: 'usage' });
  });
});
