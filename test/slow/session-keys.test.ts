/** Keys that somebody presses while `tandem session` prints: none is lost, none is sent by accident, and Ctrl-C stops what is at work. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSessionStore } from '../../src/app/open-store.ts';
import { readSession } from '../../src/run-folder/session-events.ts';
import type { Turn } from '../../src/run/fold-turns.ts';
import { makeProject } from '../support/cli.ts';
import { KEYS, openTerminal, pasted, type Terminal } from '../support/terminal.ts';

const CTRL_Z = '\u001A';

let project: string;
let open: Terminal[] = [];
beforeEach(async () => {
  project = await makeProject();
  await mkdir(join(project, 'config'), { recursive: true });
  await setDefaults('simulator: { latency_ms: 2000 }');
});
afterEach(async () => {
  for (const one of open) await one.kill();
  open = [];
  await rm(project, { recursive: true, force: true });
});

const setDefaults = (more: string): Promise<void> =>
  writeFile(join(project, 'config', 'default.yaml'), `version: 1\n${more}\n`);

async function session(columns: number): Promise<Terminal> {
  const terminal = await openTerminal(['session'], { cwd: project, columns });
  open.push(terminal);
  await terminal.shows('> ');
  return terminal;
}

async function turns(): Promise<Turn[]> {
  const [folder] = await openSessionStore({ project, shipped: '' }).list();
  return folder === undefined ? [] : (await readSession(folder)).turns;
}

test.each([80, 200])(
  'what is typed and pasted while an answer comes, at %i columns',
  async (columns) => {
    const at = await session(columns);
    at.send(`tell a story${KEYS.enter}`);
    await at.shows('thinking');
    at.send('look ar');
    at.send('ound');
    at.send(KEYS.enter);
    await at.shows('whole story');
    // Enter was pressed, so it is sent as soon as there is a prompt.
    await at.shows('> look around');
    await at.shows('· glob');
    at.send(pasted('first line\nsecond line'));
    at.send(' and 三');
    await at.resize(60);
    await at.shows('of $5.00');
    await at.shows('first line␤second line and 三');
    expect((await turns()).map(({ text }) => text)).toEqual(['tell a story', 'look around']);
    // To sleep and back: the line is as it was.
    at.send(CTRL_Z);
    await at.shows('first line␤second line and 三');
    at.send(`${KEYS.ctrlC}/quit`);
    await at.shows('/quit');
    at.send(KEYS.enter);
    expect(await at.ended, at.text()).toBe(0);
    expect(await turns()).toHaveLength(2);
  },
  60_000,
);

test('Ctrl-C stops an answer, and what was typed until then waits for its writer', async () => {
  const at = await session(80);
  at.send(`tell a story${KEYS.enter}`);
  await at.shows('thinking');
  at.send(`write a note${KEYS.enter}`);
  at.send(KEYS.ctrlC);
  await at.shows('Stopped. What was written stays');
  await at.shows('> write a note');
  expect((await turns()).map(({ end }) => end?.end)).toEqual(['stopped']);
  at.send(KEYS.ctrlC);
  at.send(KEYS.ctrlD);
  expect(await at.ended, at.text()).toBe(0);
  expect(await turns()).toHaveLength(1);
});

test('Ctrl-C while a tool runs ends the tool and the turn, and the session goes on', async () => {
  const log = join(project, 'server.log');
  const server = [process.execPath, resolve('test/support/mcp-server.mjs'), 'hang-call', log];
  await setDefaults(`mcp: { docs: { command: ${JSON.stringify(server)} } }`);
  const own = join(project, 'agents', 'session');
  await mkdir(join(own, 'simulation'), { recursive: true });
  const agent = await readFile('agents/session/agent.yaml', 'utf8');
  await writeFile(join(own, 'agent.yaml'), agent.replace('call_subagent]', 'call_subagent, mcp:docs]'));
  const script = await readFile('agents/session/simulation/session.yaml', 'utf8');
  const call = "calls: [{ tool: mcp__docs__look_up, input: { word: 'x' } }]";
  await writeFile(
    join(own, 'simulation', 'session.yaml'),
    script.replace("calls: [{ tool: glob, input: { pattern: '**/*' } }]", call),
  );
  const at = await session(80);
  at.send(`look around${KEYS.enter}`);
  await at.shows('mcp__docs__look_up');
  at.send(KEYS.ctrlC);
  await at.shows('Stopped. What was written stays');
  await at.shows('> ');
  at.send(`make a plan${KEYS.enter}`);
  await at.shows('one is open');
  await at.shows('of $5.00');
  await at.shows('> ');
  at.send(KEYS.ctrlD);
  expect(await at.ended, at.text()).toBe(0);
  expect((await turns()).map(({ end }) => end?.end)).toEqual(['stopped', 'answered']);
  const pids = [...(await readFile(log, 'utf8')).matchAll(/^start (\d+)$/gm)].map(([, pid]) => Number(pid));
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
}, 60_000);
