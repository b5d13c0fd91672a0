/** Files of a paused step that a session changes: those of Execute, handed over once, found where they belong; test/wire/run-files.test.ts has those of Init. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import { openRunFiles, findPausedStep } from '../../../src/pipeline/session/run-files.ts';
import { readEvents, transact } from '../../../src/run-folder/snapshot.ts';
import { listSteering } from '../../../src/run/steering.ts';
import { begin, decide, live, makeProject } from '../../support/project.ts';

const FILE = 'execution_outputs/iteration_1/tools/find_loan.mjs';
const MARK = '// A person looked at this.\n';

test('a tool that Execute has written is changed while it is paused, and is in the iteration that is committed', async () => {
  const stop = new AbortController();
  let steps = 0;
  const project = await makeProject();
  const app = await project.open((event) => {
    if (event.type !== 'step' || !event.agent.startsWith('execute')) return;
    steps += 1;
    if (steps === 4) stop.abort(new Error('paused'));
  });
  const dir = await mkdtemp(join(tmpdir(), 'tandem-session-'));
  onTestFinished(async () => {
    await app.close();
    await project.remove();
    await rm(dir, { recursive: true, force: true });
  });
  const run = await begin(project, app);
  const beside = { run, deciders: undefined };
  await advance(run.id, app.deps, live);
  await advance(run.id, app.deps, live);
  // At the gate nothing can be changed.
  expect(await findPausedStep(beside, 'user:ada')).toBeUndefined();
  await decide(app, await stateOf(run.id, app.deps), 'approve');
  await expect(advance(run.id, app.deps, stop.signal)).rejects.toThrow('paused');
  expect(await findPausedStep(beside, 'user:ada')).toBeUndefined();
  await transact(run, () => ({ type: 'run.paused', reason: 'user', detail: '' }), 'user:ada');
  expect(await findPausedStep(beside, 'agent:claude')).toBeUndefined();
  expect(await findPausedStep({ run, deciders: ['user:grace'] }, 'user:ada')).toBeUndefined();

  const paused = await findPausedStep(beside, 'user:ada');
  if (typeof paused !== 'object') throw new Error('no step is paused');
  const turn = { turn: 1, actor: 'user:ada' };
  const files = await openRunFiles({ dir, id: 's-1' }, turn, paused);
  const mount = files.mounts.find(({ logical }) => FILE.startsWith(`${logical}/`));
  expect(files.mounts.map(({ logical }) => logical.split('/').at(-1))).toEqual([
    'tools',
    'checkers',
    'graders',
    'samples',
  ]);
  const place = join(mount?.physical ?? '', 'find_loan.mjs');
  const before = await readFile(place, 'utf8');
  await writeFile(place, MARK + before);
  // A process that dies here leaves the copy as it is, and the turn that is made again hands it over.
  const again = await openRunFiles({ dir, id: 's-1' }, turn, paused);
  expect(await again.handOver()).toContain('On record as event');
  const third = await openRunFiles({ dir, id: 's-1' }, { ...turn, turn: 2 }, paused);
  expect(await readFile(place.replace('t1-', 't2-'), 'utf8')).toBe(MARK + before);

  await transact(run, () => ({ type: 'run.resumed' }), 'user:ada');
  // Too late: the step goes on, and nothing of this is taken over.
  await writeFile(place.replace('t1-', 't2-'), '// late');
  expect(await third.handOver()).toContain('has gone on');
  await advance(run.id, app.deps, live);
  expect(await readFile(join(run.dir, FILE), 'utf8')).toBe(MARK + before);
  expect(listSteering(await readEvents(run))).toMatchObject([
    {
      step: 'execute.i1',
      actor: 'user:ada',
      via: 'session:s-1',
      files: [{ path: FILE }],
      heard: { step: 'execute.i1' },
    },
  ]);
});
