/** `tandem context`: pictures and replays from the command line, with messages that say what to do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replayTranscript, type ContextReplayOptions } from '../../src/cli/context/replay.ts';
import { showContext } from '../../src/cli/context/show.ts';
import { fakeIo } from './fake-io.ts';
import { POLICY_NAMES } from '../support/policies.ts';
import { busyLog } from '../support/transcripts.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const lines = (entries: readonly unknown[]) => entries.map((entry) => JSON.stringify(entry)).join('\n');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-context-'));
  await writeFile(at('busy.jsonl'), lines(busyLog(40, 3000).entries));
  await writeFile(at('busy.jsonl.gz'), gzipSync(lines(busyLog(40, 3000).entries)));
  await writeFile(at('notes.txt'), 'not a transcript');
});
afterAll(() => rm(folder, { recursive: true }));

const replaying = (change: Partial<ContextReplayOptions> = {}): ContextReplayOptions => ({
  model: 'claude-opus-5-5',
  window: '120000',
  policy: ['two-agent'],
  ...change,
});

describe('replay', () => {
  test('a table and a picture, with everything that they rest on', async () => {
    const io = fakeIo(folder);
    expect(await replayTranscript(at('busy.jsonl'), replaying({ policy: ['two-agent', 'selective'] }), io)).toBe(0);
    const text = io.lines.join('\n');
    for (const part of [
      'tandem, 81 messages',
      'two-agent',
      'selective',
      'window 120000',
      'Cache: marks',
      'Tokens of each call',
    ])
      expect(text).toContain(part);
    expect(io.errors).toEqual(['replaying 81 messages by two-agent …', 'replaying 81 messages by selective …']);
  });

  test('--json is one line with every call; a gzipped file is the same', async () => {
    const [plain, packed] = [fakeIo(folder), fakeIo(folder)];
    await replayTranscript(at('busy.jsonl'), replaying({ json: true }), plain);
    await replayTranscript(at('busy.jsonl.gz'), replaying({ json: true }), packed);
    expect({ ...packed.json(), title: '' }).toEqual({ ...plain.json(), title: '' });
    const [policy] = plain.json()['policies'] as {
      calls: unknown[];
      rewrites: unknown[];
      facts: { asked: number; kept: number };
    }[];
    expect(policy?.calls).toHaveLength(40);
    expect(policy?.rewrites.length).toBeGreaterThan(0);
    expect(policy?.facts.kept).toBe(policy?.facts.asked);
  });

  test('without --policy every shipped policy is replayed, and none sends what the API would refuse', async () => {
    const io = fakeIo(folder);
    await replayTranscript(at('busy.jsonl'), replaying({ json: true, policy: undefined, window: '200000' }), io);
    const policies = io.json()['policies'] as {
      policy: string;
      stopped?: unknown;
      calls: { fault?: unknown; staleThinking: number }[];
    }[];
    expect(policies.map(({ policy }) => policy)).toEqual(POLICY_NAMES);
    expect(
      policies
        .flatMap(({ calls }) => calls)
        .filter(({ fault, staleThinking }) => fault !== undefined || staleThinking > 0),
    ).toEqual([]);
    expect(policies.filter(({ stopped }) => stopped !== undefined)).toEqual([]);
  });

  test.each([
    ['a file that is none', 'none.jsonl', {}, 'none.jsonl: cannot be read'],
    ['a file without a conversation', 'notes.txt', {}, 'notes.txt: line 1: not JSON'],
    ['an unknown policy', 'busy.jsonl', { policy: ['best'] }, 'There are: budgeted'],
    ['an unknown model', 'busy.jsonl', { model: 'gpt' }, 'expected one of config/models.yaml'],
    ['a window that is no number', 'busy.jsonl', { window: '-1' }, '--window "-1": expected a whole number'],
  ])('%s is refused with what to do', async (_name, file, change, says) => {
    await expect(replayTranscript(at(file), replaying(change), fakeIo(folder))).rejects.toThrow(says);
  });
});

test('a run that nobody knows is refused by name', async () => {
  await expect(showContext({ run: 'nowhere' }, {}, fakeIo(folder))).rejects.toThrow('nowhere');
});
