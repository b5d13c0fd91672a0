/** An edit that was approved is what both agents work on: Execute builds it, and Init does not undo it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { driveToRest, stateOf } from '../../src/pipeline/drive.ts';
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
  const results = JSON.parse((await run.read('execution_outputs/iteration_1/results.json')) ?? '{}') as { designDigest: string };
  expect(results.designDigest).toBe(decision?.editedDigest);
  expect((await stateOf(run.id, app.deps)).designs[0]).toMatchObject({ editedDir: dir, approved: decision?.editedDigest });
});
