/** What a person reads who has decided in a terminal. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { decideAtGate, listGates } from '../../../src/cli/gates/gates.ts';
import { driveToRest } from '../../../src/pipeline/drive/drive.ts';
import { begin, live, makeProject, quietIo, type Project } from '../../support/project.ts';

const projects: Project[] = [];
const apps: App[] = [];

afterAll(async () => {
  for (const app of apps) await app.close();
  for (const project of projects) await project.remove();
});

async function decided(mark?: string): Promise<string> {
  const project = await makeProject();
  projects.push(project);
  const app = await project.open();
  apps.push(app);
  const run = await begin(project, app);
  const state = await driveToRest(run.id, app.deps, live);
  if (state.status !== 'awaiting_approval') throw new Error(state.status);
  if (mark !== undefined) await run.write('queue.json', mark);
  const io = quietIo(project.dir);
  await decideAtGate(run.id, { decision: 'approve', digest: state.gate.digest }, io);
  return io.said.join('\n');
}

test('nobody is sent to carry on what workers carry on', async () => {
  expect(await decided('{"version":1,"carriedBy":"workers"}\n')).toMatch(
    /approve by user:tester, .*\. Workers go on with it: nothing is to be done\./,
  );
  expect(await decided()).toMatch(/approve by user:tester, .*\. Nothing is running it\. Start it: tandem resume /);
});

test('a broken file of the reviewers is reported where the gates are listed, and not only at the decision', async () => {
  const project = await makeProject();
  projects.push(project);
  await mkdir(join(project.dir, 'config'), { recursive: true });
  await writeFile(join(project.dir, 'config/reviewers.yaml'), 'version: 1\nreviewer: []\n');
  const listed = listGates({}, quietIo(project.dir));
  await expect(listed).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('reviewers') });
});
