/** Forty-nine servers that hang, flood, lie and inject: each costs its own tools, and nothing of it is left behind. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openToolServers } from '../../../src/adapters/mcp/open-tool-servers.ts';
import { ToolDefinition } from '../../../src/transcript/message.ts';

const redact = (text: string): string => text;
const live = new AbortController().signal;
let logs: string;
beforeAll(async () => {
  logs = await mkdtemp(join(tmpdir(), 'tandem-servers-'));
});
afterAll(() => rm(logs, { recursive: true, force: true }));

/** What a mode must come to: its tools are offered or not, and a call fails or is harmless. */
const MODES: Record<string, { offers?: boolean | number; fails?: boolean; says?: RegExp }> = {
  'dies-at-once': { offers: false, fails: true },
  complains: { offers: false, fails: true, says: /no licence/ },
  silent: { offers: false, fails: true },
  'wrong-version': { offers: false, fails: true },
  'hang-list': { offers: false, fails: true },
  'list-lies': { offers: false, fails: true },
  'endless-list': { offers: false },
  'deep-schema': { offers: false, says: /nested deeper/ },
  'huge-schema': { offers: false, says: /characters/ },
  'no-object': { offers: false, says: /not of an object/ },
  'same-names': { offers: 1, says: /offered twice/ },
  'too-many': { offers: 500, says: /more than 500/ },
  'odd-names': { offers: 5 },
  'one-of': { offers: 1 },
  'ansi-description': { offers: 1 },
  'hang-call': { fails: true },
  'die-in-call': { fails: true },
  'refuse-call': { fails: true },
  'no-result': { fails: true },
  'wrong-id': { fails: true },
  garbage: { fails: true },
  flood: { fails: true },
  'flood-lines': { fails: true },
  'flood-messages': { fails: true },
  'asks-back': { fails: false },
  'wants-roots': { fails: false },
  ansi: { fails: false },
  'lone-surrogate': { fails: false },
  'fake-image': { fails: false },
  'huge-image': {},
  'odd-parts': { fails: false },
  'long-text': { fails: false },
  'many-images': { fails: false },
  injection: { fails: false },
  error: { fails: true },
  'hundred-megabytes': { fails: true },
  'deep-answer': {},
  'many-parts': { fails: false },
  'closes-output': { fails: true },
  'closes-input': { fails: true },
  'answers-twice': { fails: false },
  'answers-in-pieces': { fails: false },
  'error-flood': { fails: false },
  'changes-tools': { fails: false },
  'progress-flood': { fails: false },
  'bad-version': { fails: true },
  polluted: { fails: false },
  children: { fails: false },
  stubborn: { fails: false },
};

test.concurrent.each(Object.entries(MODES))(
  '%s',
  async (mode, { offers = true, fails, says }) => {
    const log = join(logs, mode);
    const command = [process.execPath, 'test/support/mcp-server.mjs', mode, log];
    const env = { PATH: process.env['PATH'] ?? '' };
    const servers = openToolServers([
      { name: 'docs', startMs: 3000, callMs: 1500, maxChars: 60_000, redact, cwd: '.', command, env },
    ]);
    const open = await servers.open(['docs'], live);
    const [offered] = open.offered;
    const count = offered?.definitions.length ?? 0;
    if (typeof offers === 'number') expect(count).toBe(offers);
    else expect(count > 0).toBe(offers);
    for (const definition of offered?.definitions ?? [])
      expect(ToolDefinition.safeParse(definition).success).toBe(true);
    const name = open.host.definitions[0]?.name ?? 'mcp__docs__look_up';
    const answer = await open.host.call(name, { word: 'x' }, live);
    if (fails !== undefined) expect(answer.is_error).toBe(fails);
    const all = [...(offered?.problems ?? []), JSON.stringify(offered?.definitions), answer.content].join('\n');
    expect(all).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202e]/);
    expect(all.isWellFormed()).toBe(true);
    expect(Object.prototype).not.toHaveProperty('polluted');
    expect(answer.content.length).toBeLessThanOrEqual(60_000);
    expect(answer.images?.length ?? 0).toBeLessThanOrEqual(10);
    if (says !== undefined) expect(offered?.problems.join('\n')).toMatch(says);
    await open.close();
    const words = await readFile(log, 'utf8').catch(() => '');
    for (const [, pid = ''] of words.matchAll(/^(?:start|child) (\d+)$/gm)) expect(await isGone(pid), pid).toBe(true);
  },
  60_000,
);

/** A busy machine takes a moment to end what was killed. */
async function isGone(pid: string): Promise<boolean> {
  for (let tries = 0; tries < 60 && (await isAlive(pid)); tries += 1) await setTimeout(50);
  return !(await isAlive(pid));
}

/** One that has ended and that nobody has waited for is dead. */
async function isAlive(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}
