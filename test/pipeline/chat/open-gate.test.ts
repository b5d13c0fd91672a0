/** A session on a run whose gate is open knows of the gate: from its first message, and after its compactions (S0.18). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSessionApp } from '../../../src/app/open-sessions.ts';
import { openSessionStore } from '../../../src/app/open-store.ts';
import { findHome } from '../../../src/config/home.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { readOpenGate } from '../../../src/pipeline/chat/open-gate.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import { openLiveSession, startSession } from '../../../src/pipeline/session/live-session.ts';
import { begin, decide, live, makeProject } from '../../support/project.ts';

test('the gate is in the first message, not in the second, and carried by a summary; an answered gate is in none (S0.18)', async () => {
  const project = await makeProject();
  const app = await project.open(() => undefined);
  const home = findHome(project.dir);
  const config = await loadConfig(home, { flags: { agents: { session: { policy: 'demo' } } } });
  const about = { agent: 'session' };
  const sessions = await openSessionApp({ home, config, env: {}, about, progress: () => undefined, signal: live });
  onTestFinished(async () => {
    await sessions.close();
    await app.close();
    await project.remove();
  });
  const run = await begin(project, app);
  expect(await readOpenGate(run)).toBeUndefined();
  await advance(run.id, app.deps, live);
  await advance(run.id, app.deps, live);
  const gate = (await readOpenGate(run)) ?? '';
  expect(gate).toMatch(/^HITL-1\.r1 was open when this was written: a person decides, no agent does/);

  const store = openSessionStore(home);
  const started = { id: 's-1', agent: 'session', budgetUsd: 5, simulated: true, actor: 'user:ada' };
  const folder = await startSession(store, { ...started, run: { id: run.id, dir: run.dir } });
  const deps = { ...sessions.deps, attachedRun: async () => run };
  const talk = await openLiveSession({ folder, deps }, 'user:ada');
  onTestFinished(() => talk.close());
  const listener = { heard: () => undefined, signal: live };
  const say = (text: string) => talk.say({ text, cwd: project.dir, via: 'test' }, listener);
  expect((await say('What waits?')).turn.attached).toContain(`<open_gate>\n${gate}`);
  for (const name of ['a', 'b', 'c']) {
    await writeFile(join(project.dir, `${name}.md`), `${name} is on paper. `.repeat(700));
    expect((await say(`see @${name}.md`)).turn.attached).not.toContain('<open_gate>');
  }
  await talk.compact('', listener);
  const entries = await folder.transcripts.read('session');
  const summary = entries.find((entry) => entry.type === 'compaction');
  expect(summary?.type === 'compaction' && summary.request).toContain(`<open_gate>\n${gate}`);

  await decide(app, await stateOf(run.id, app.deps), 'approve');
  await talk.clear();
  expect((await say('And now?')).turn.attached).toBeUndefined();
});
