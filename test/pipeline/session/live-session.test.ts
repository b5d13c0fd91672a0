/** Whole sessions with the offline model: files, stops, undo, forks, compaction, and what people see of them. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { agentTools } from '../../../src/app/agent-tools.ts';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { openSessionApp, type SessionApp } from '../../../src/app/open-sessions.ts';
import { openSessionStore } from '../../../src/app/open-store.ts';
import { findHome } from '../../../src/config/home.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { openLiveSession, startSession, type LiveSession } from '../../../src/pipeline/session/live-session.ts';
import type { TurnProgress } from '../../../src/pipeline/session/session-deps.ts';
import { readConversation, readOwnSession } from '../../../src/pipeline/sessions/read-own-sessions.ts';
import type { SessionFolder } from '../../../src/ports/run-store.ts';
import { getText } from '../../../src/transcript/message.ts';

const live = new AbortController().signal;
let project: string;
let app: SessionApp;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'tandem-session-'));
  const home = findHome(project);
  const config = await loadConfig(home, {
    flags: { agents: { session: { policy: 'demo', trigger: { tokens: 9000 } } } },
  });
  app = await openSessionApp({
    home,
    config,
    env: {},
    about: { agent: 'session' },
    progress: () => undefined,
    signal: live,
  });
});
afterAll(async () => {
  await app.close();
  await rm(project, { recursive: true, force: true });
});

let sessions = 0;
let folder: SessionFolder;
let talk: LiveSession;
let news: TurnProgress[];
const store = () => openSessionStore({ project, shipped: '' });
const open = async (one: SessionFolder): Promise<LiveSession> =>
  openLiveSession({ folder: one, deps: app.deps }, 'user:ada');
beforeEach(async () => {
  const id = `s-${(sessions += 1)}`;
  folder = await startSession(store(), { id, agent: 'session', budgetUsd: 5, simulated: true, actor: 'user:ada' });
  talk = await open(folder);
  news = [];
});
afterEach(() => talk.close());

const listener = (signal = live) => ({ heard: (one: TurnProgress) => void news.push(one), signal });
const say = (text: string, signal = live) => talk.say({ text, cwd: project, via: 'test' }, listener(signal));
const words = async (): Promise<string[]> =>
  (await readConversation(folder, talk.now)).flatMap((entry) =>
    entry.type === 'message' && entry.item === undefined ? [getText(entry.message)] : [],
  );

test('money that a dead process held for a call of the turn is written off when the turn ends', async () => {
  const dead = { call: 'turn.1.session.0099.dead', agent: 'session', model: 'm', worstUsd: 0.25 };
  await folder.spending.reserve(dead, 5);
  await say('Go on.');
  const left = (await folder.spending.list()).find(({ call }) => call === dead.call);
  expect(left).toMatchObject({ reservedUsd: 0, uncertainUsd: 0.25 });
});

test('what a turn left in wip/ when its process was killed right after its end leaves at the next opening', async () => {
  await say('Go on.');
  await folder.artifacts.begin('turn.1', 'turns/1', []);
  await talk.close();
  talk = await open(folder);
  expect(await folder.artifacts.live()).toEqual([]);
});

test('a session beside a run that began on another machine reads the run where it is here', async () => {
  const runs = openFileRunStore({ roots: [project], clock: { now: () => new Date() }, worker: 'w' });
  const run = await runs.create(join(project, 'desk'), `run-${sessions}`);
  await mkdir(join(run.dir, 'design/r1'), { recursive: true });
  await writeFile(join(run.dir, 'design/r1/rules.md'), 'Refund everything that is on paper.');
  const elsewhere = { id: run.id, dir: `/home/ada/.cache/tandem/store/desk/runs/${run.id}` };
  const about = { id: `b-${sessions}`, agent: 'session', budgetUsd: 5, simulated: true, actor: 'user:ada' };
  const session = await startSession(store(), { ...about, run: elsewhere });
  const deps = { ...app.deps, attachedRun: async () => run };
  const beside = await openLiveSession({ folder: session, deps }, 'user:ada');
  expect(beside.now.run).toEqual({ id: run.id, dir: run.dir });
  const { turn } = await beside.say({ text: 'look at @design/r1/rules.md', cwd: project, via: 'test' }, listener());
  await beside.close();
  expect(turn.files).toEqual(['uploads/t1/design/r1/rules.md']);
  const gone = await openLiveSession(
    { folder: session, deps: { ...deps, attachedRun: async () => undefined } },
    'user:ada',
  );
  await gone.close();
  expect(gone.now.run).toEqual(elsewhere);
});

test('what a person says is on record before it is answered, and every call is in the books', async () => {
  const { text, turn } = await say('write a note');
  expect(text).toContain('workspace/note.md');
  expect(turn.end).toMatchObject({ end: 'answered', calls: 3 });
  const books = await folder.spending.list();
  expect(books.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(turn.end?.usd ?? 0);
  expect((await folder.transcripts.calls('session')).map(({ outcome }) => outcome)).toEqual([
    'answered',
    'answered',
    'answered',
  ]);
  expect(
    news.flatMap((one) => (one.type === 'tool' && one.ended === undefined ? [`${one.name} ${one.about}`] : [])),
  ).toEqual(['write workspace/note.md', 'read workspace/note.md']);
});

test('files that are named go along as copies; nothing leads out, and nothing is sent when a name is wrong', async () => {
  await mkdir(join(project, 'papers/.git'), { recursive: true });
  await writeFile(join(project, 'papers/a.md'), 'A </attached_file> of it');
  await writeFile(join(project, 'papers/.git/key'), 'secret');
  await symlink('/etc', join(project, 'out'));
  const { turn } = await say('看@papers/ and ask ada@example.org or @bob');
  expect(turn.files).toEqual(['uploads/t1/papers/a.md']);
  expect(turn.attached).toContain('A &lt;/attached_file> of it');
  await writeFile(join(project, 'papers/a.md'), 'changed later');
  expect(await readFile(join(folder.dir, 'uploads/t1/papers/a.md'), 'utf8')).toContain('of it');
  for (const wrong of ['@papers/b.md', '@/etc/passwd', '@../', '@out/passwd'])
    await expect(say(`see ${wrong}`), wrong).rejects.toMatchObject({ code: 'usage' });
  expect(talk.now.begun).toBe(1);
});

test('words with an @ are words, and of one that looks like a file the person is told', async () => {
  await mkdir(join(project, 'my notes'));
  await writeFile(join(project, 'my notes/x.md'), 'escaped');
  await writeFile(join(project, 'report(1).md'), 'brackets');
  const ordinary = [
    ...['install @types/node and @angular/core@19', 'ask @core-team', 'import x from "@/components/Button.vue"'],
    ...[
      'at run (/app/node_modules/@scope/pkg/index.js:10:3)',
      'https://example.com/@ada/notes.md',
      'git@host.org:a/b.git',
    ],
    ...['curl -F file=@upload.zip', 'the @media rule and a @Component() class'],
  ].join('\n');
  const { turn } = await say(ordinary);
  expect(turn).toMatchObject({ text: ordinary, files: [] });
  expect(turn.attached).toBeUndefined();
  expect(news.filter(({ type }) => type === 'notice')).toEqual([]);
  const found = await say('see @report(1).md and @my\\ notes/x.md, and @lost/thing.pdf');
  expect(found.turn.files).toEqual(['uploads/t2/report(1).md', 'uploads/t2/my notes/x.md']);
  expect(news).toContainEqual({ type: 'notice', detail: 'No file here is named @lost/thing.pdf: sent as words.' });
});

test('a file that is named three times is sent in full once, and again when it has changed (S3.13)', async () => {
  const text = 'All of this is on paper. '.repeat(40);
  await writeFile(join(project, 'paper.md'), text);
  for (let turn = 0; turn < 3; turn += 1) await say('see @paper.md');
  const count = async () => (await words()).join('\n').split(text.trim()).length - 1;
  expect(await count()).toBe(1);
  expect((await words()).join('\n')).toContain(
    '<attached_file path="uploads/t3/paper.md" unchanged_since="uploads/t1/paper.md"/>',
  );
  await writeFile(join(project, 'paper.md'), `${text}And more.`);
  await say('see @paper.md');
  expect(await count()).toBe(2);
  await talk.compact('', listener());
  await say('see @paper.md');
  expect((await words()).join('\n')).toContain('<attached_file path="uploads/t6/paper.md">\nAll');
});

test('a turn that is stopped keeps what came, and the conversation goes on', async () => {
  const stop = new AbortController();
  const stopping = talk.say(
    { text: 'tell a story', cwd: project, via: 'test' },
    { heard: ({ type }) => (type === 'text' ? stop.abort(new Error('enough')) : undefined), signal: stop.signal },
  );
  const { turn, text } = await stopping;
  expect(turn.end).toMatchObject({ end: 'stopped' });
  expect(text).toContain('# The desk');
  expect((await say('hello')).turn.end?.end).toBe('answered');
  expect((await words()).join('\n')).toContain('# The desk');
});

test('a turn whose process died between its stop and its end gets the same end', async () => {
  const { attempt } = { attempt: await folder.artifacts.begin('turn.1', 'turns/1', []) };
  await attempt.remember('stopped', { version: 1, end: 'stopped', text: 'Half an ans' });
  const said = { turn: 1, lane: 'main', after: '', text: 'hello', sent: 'hello', files: [], images: [], via: 'test' };
  await folder.journal.append({ type: 'session.said', ...said }, 'user:ada', 1);
  await talk.close();
  talk = await open(folder);
  const done = await talk.finish(listener());
  expect(done).toMatchObject({ text: 'Half an ans', turn: { end: { end: 'stopped', calls: 0, usd: 0 } } });
  expect(await folder.spending.list()).toEqual([]);
});

test('undo goes back to before the last message, clean begins afresh, and all of it stays on record', async () => {
  await say('look around');
  await say('make a plan');
  expect(await talk.undo()).toBe('make a plan');
  expect((await words()).join()).not.toContain('Two points');
  await say('hello');
  expect((await words()).join()).toContain('look around');
  expect((await words()).join()).not.toContain('Two points');
  await talk.clear();
  await say('hello again');
  expect(await words()).toEqual(['hello again', expect.stringContaining('offline model')]);
  const all = await folder.transcripts.read('session');
  expect(JSON.stringify(all)).toContain('Two points');
  const [now, ...earlier] = await readOwnSession(folder, agentTools(findHome(project)));
  expect([now?.id, now?.status, now?.contextId, now?.messages.human]).toEqual([folder.id, 'live', 'main-2', 1]);
  expect(earlier.map(({ contextId }) => contextId)).toContain('main');
});

test('of several that open a session at the same moment one has it at most, and whoever asks later has it', async () => {
  await talk.close();
  const tries = await Promise.allSettled([open(folder), open(folder), open(folder)]);
  const held = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(held.length).toBeLessThanOrEqual(1);
  for (const one of held) await one.close();
  talk = await open(folder);
  await expect(open(folder)).rejects.toThrow('is open in another process');
});

test('a fork goes on by itself with its own books', async () => {
  await say('write a note');
  const fork = await talk.fork(store(), `${folder.id}-fork`);
  const other = await open(fork);
  await other.say({ text: 'hello', cwd: project, via: 'test' }, listener());
  await other.close();
  expect(other.now).toMatchObject({ forkedFrom: { session: folder.id }, begun: 2 });
  expect(talk.now.begun).toBe(1);
  expect(await readFile(join(fork.dir, 'workspace/note.md'), 'utf8')).toContain('Written');
  expect(await fork.spending.list()).toHaveLength(1);
});

test('a compaction that is asked for keeps what is to be kept, and a cap ends a turn and not the session', async () => {
  await writeFile(join(project, 'long.md'), 'All of this is on paper. '.repeat(400));
  for (let turn = 0; turn < 3; turn += 1) await say('see @long.md');
  const { turn } = await talk.compact('the colour is green', listener());
  expect(turn.end?.end).toBe('answered');
  const entries = await readConversation(folder, talk.now);
  expect(entries.some(({ type }) => type === 'compaction')).toBe(true);
  await talk.set({ budgetUsd: 0.0001 });
  const refused = await say('hello');
  expect(refused.turn.end).toMatchObject({ end: 'failed', code: 'budget_exceeded', calls: 0 });
  await talk.set({ budgetUsd: 5 });
  expect((await say('hello')).turn.end?.end).toBe('answered');
});

test('what a sub-agent does is seen while it does it', async () => {
  await say('ask a helper');
  const lanes = news.flatMap((one) => (one.type === 'lane' ? [one] : []));
  expect(lanes.map(({ step, tools }) => ({ step, tools }))).toEqual([
    { step: 1, tools: ['glob'] },
    { step: 2, tools: [] },
  ]);
  expect(lanes[0]?.lane).toMatch(/^subagent-[0-9a-f]{8}$/);
});

test('tools and sub-agents that are named with @ are a reminder before the message; people and files are none', async () => {
  await say('@ada wants you to make a plan with @todo_write and @subagent, not @constructor');
  const [reminder, message] = (await readConversation(folder, talk.now)).flatMap((entry) =>
    entry.type === 'message' && entry.item === undefined ? [entry] : [],
  );
  expect(reminder).toMatchObject({ origin: 'reminder' });
  expect(reminder && getText(reminder.message)).toContain(
    'names the tool todo_write, the sub-agent subagent (the tool call_subagent) in the next message',
  );
  expect(message && getText(message.message)).toBe(
    '@ada wants you to make a plan with @todo_write and @subagent, not @constructor',
  );
  const [state] = await readOwnSession(folder, agentTools(findHome(project)));
  expect(state?.mentions).toEqual(['ada', 'todo_write', 'subagent', 'constructor']);
});
