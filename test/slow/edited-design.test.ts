/** An edit that was approved is what both agents work on: Execute builds it, and Init does not undo it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/app/open-store.ts';
import { findHome } from '../../src/config/home.ts';
import { decideGate } from '../../src/gate/decide.ts';
import { driveToRest, stateOf } from '../../src/pipeline/drive/drive.ts';
import { fold } from '../../src/run/fold.ts';
import { lastJson, makeProject as scenarioProject, tandem } from '../support/cli.ts';
import { begin, decide, live, makeProject, type Project } from '../support/project.ts';
import type { App } from '../../src/app/open-app.ts';

let project: Project;
let app: App;

beforeAll(async () => {
  project = await makeProject();
  app = await project.open();
});
afterAll(async () => {
  await app.close();
  await project.remove();
});

test('Execute is mounted, told and judged by the edited folder; its results name the edited digest; Init goes on from it', async () => {
  const run = await begin(project, app);
  const waiting = await driveToRest(run.id, app.deps, live);
  const name = 'unified_scenario_design.md';
  const before = await readFile(join(run.dir, 'design/r1', name), 'utf8');
  const edits = { [name]: `${before}\n\n## Added by the reviewer\nGift cards stay gift cards.\n` };
  await decide(app, waiting, 'edit_approve', { edits, comment: 'see the end' });
  const state = await driveToRest(run.id, app.deps, live);
  const [decision] = state.decisions;
  const dir = decision?.editedDir ?? '';
  expect(dir).toMatch(/^design\/r1-edited-/);
  expect(state.iterations.length).toBeGreaterThan(0);
  expect(state.iterations[0]?.designDigest).toBe(decision?.editedDigest);
  const handoff = await run.read('handoffs/001-init-to-execute.md');
  expect(handoff).toContain(`design_dir="${dir}"`);
  expect(handoff).toContain('I edited the design before approving it');
  const results = JSON.parse((await run.read('execution_outputs/iteration_1/results.json')) ?? '{}') as {
    designDigest: string;
  };
  expect(results.designDigest).toBe(decision?.editedDigest);
  expect((await stateOf(run.id, app.deps)).designs[0]).toMatchObject({
    editedDir: dir,
    approved: decision?.editedDigest,
  });
});

test('a round after an edit goes on from the edited text, and the reviewer is shown no change that would undo it', async () => {
  const folder = await scenarioProject('refund-desk');
  const run = (args: string[]) => tandem(folder, [...args, '--profile', 'demo', '--on-gate', 'exit', '--json']);
  await run(['run', 'refund-desk', '--id', 'edited']);
  const { store } = openStore(findHome(folder));
  const opened = await store.open('edited');
  const name = 'unified_scenario_design.md';
  const sentence = 'The reviewer adds: gift cards stay gift cards.';
  const before = await readFile(join(opened.dir, 'design/r1', name), 'utf8');
  const state = fold(await opened.journal.read());
  const gate = state.status === 'awaiting_approval' ? state.gate : undefined;
  const permissions = { starterMayDecide: true, policyMayDecide: false };
  const asked = {
    run: opened.dir,
    gate: 'HITL-1.r1',
    digest: gate?.digest ?? '',
    comment: '',
    actor: 'user:ada',
    via: 'test',
    nonce: 'n',
    confirm: 'accept',
  };
  const edits = { [name]: `${before.trimEnd()}\n\n${sentence}\n` };
  await decideGate({ ...asked, decision: 'edit_approve', edits }, permissions, openStore(findHome(folder)));
  expect(lastJson(await run(['resume', 'edited']))).toMatchObject({ status: 'awaiting_approval', rounds: 2 });
  expect(await opened.read(`design/r2/${name}`)).toContain(sentence);
  const pack = await opened.read('gates/HITL-1.r2/pack.json');
  expect(pack).not.toContain(`-${sentence}`);
  expect(await opened.read('transcripts/init.jsonl')).toContain('keep my edit');
});
