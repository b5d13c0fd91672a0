/** Whole runs of the small template scenario: real files, real sandbox, the real client against the offline model. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { advance } from '../../src/pipeline/drive/advance.ts';
import { driveToRest, stateOf } from '../../src/pipeline/drive/drive.ts';
import { reconcile } from '../../src/worker/reconcile.ts';
import { approveAll, begin, decide, live, makeProject, type Project } from '../support/project.ts';

let project: Project;
let apps: App[] = [];

beforeEach(async () => {
  project = await makeProject();
});
afterEach(async () => {
  await Promise.all(apps.map((app) => app.close()));
  apps = [];
  await project.remove();
});

async function open(onEvent?: Parameters<Project['open']>[0]): Promise<App> {
  const app = await project.open(onEvent);
  apps.push(app);
  return app;
}

describe('a run', () => {
  test('rejected ends, and says by whom', async () => {
    const app = await open();
    const run = await begin(project, app);
    await decide(app, await driveToRest(run.id, app.deps, live), 'reject', { comment: 'not our desk' });
    const state = await driveToRest(run.id, app.deps, live);
    expect(state).toMatchObject({ status: 'rejected', verdict: { because: 'reviewer' } });
    await expect(readFile(join(run.dir, 'execution_outputs/iteration_1/results.json'))).rejects.toThrow();
  });

  test('that reaches its iteration cap fails and names the cap', async () => {
    await project.edit('scenario.yaml', 'max_iterations: 5', 'max_iterations: 1');
    const app = await open();
    const run = await begin(project, app);
    expect(await approveAll(app, run.id)).toMatchObject({ status: 'failed', verdict: { because: 'iteration_cap' } });
  });

  test('without progress fails by patience', async () => {
    await project.edit('scenario.yaml', 'target: 0.85', 'target: 0.85\npatience: 1');
    // The repair repairs nothing.
    await project.edit('simulation/execute.yaml', '.trim().toUpperCase()];', '.trim()];');
    const app = await open();
    const run = await begin(project, app);
    expect(await approveAll(app, run.id)).toMatchObject({
      status: 'failed',
      iteration: 2,
      verdict: { because: 'patience' },
    });
  });

  test('whose script has no answer stops as errored, with what was asked for, and can be resumed', async () => {
    await project.edit(
      'simulation/execute.yaml',
      'marker: \'<iteration_context round="1" iteration="2"\'',
      "marker: '<never>'",
    );
    const app = await open();
    const run = await begin(project, app);
    const state = await approveAll(app, run.id);
    expect(state).toMatchObject({ status: 'errored', failure: { code: 'model_refused', step: 'execute.i2' } });
    expect(JSON.stringify(state)).toContain('simulation script');
  });

  test('over its money cap pauses before the call, and goes on after a raise', async () => {
    await project.edit('scenario.yaml', 'budget_usd: 5', 'budget_usd: 0.3');
    const app = await open();
    const run = await begin(project, app);
    const state = await driveToRest(run.id, app.deps, live);
    expect(state).toMatchObject({ status: 'paused', pause: { reason: 'budget' } });
    await run.journal.append({ type: 'run.resumed', raiseUsd: 5 }, 'user:ada', state.length);
    expect(await approveAll(app, run.id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a decision at the gate', () => {
  test('on another digest is refused, and the gate stays open', async () => {
    const app = await open();
    const run = await begin(project, app);
    const state = await driveToRest(run.id, app.deps, live);
    await expect(decide(app, state, 'approve', { digest: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'gate_refused',
      message: expect.stringContaining('changed while you were reading'),
    });
    expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'awaiting_approval' });
  });

  test('by an agent or by a policy that was not allowed is refused', async () => {
    const app = await open();
    const run = await begin(project, app);
    const state = await driveToRest(run.id, app.deps, live);
    await expect(decide(app, state, 'approve', { actor: 'agent:init' })).rejects.toMatchObject({
      code: 'gate_refused',
    });
    await expect(decide(app, state, 'approve', { actor: 'policy:demo' })).rejects.toMatchObject({
      code: 'unsafe_policy',
    });
  });

  test('made by twenty at once is one decision; the same nonce gets the same answer', async () => {
    const app = await open();
    const run = await begin(project, app);
    const state = await driveToRest(run.id, app.deps, live);
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        decide(app, state, 'approve', { nonce: `n${index}`, actor: `user:u${index}` }),
      ),
    );
    expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    expect((await run.journal.read()).filter((event) => event.body.type === 'gate.decided')).toHaveLength(1);
    const winner = settled.findIndex((one) => one.status === 'fulfilled');
    await expect(
      decide(app, state, 'approve', { nonce: `n${winner}`, actor: `user:u${winner}` }),
    ).resolves.toBeUndefined();
  });

  test('travels to Execute with its comment, and a mentioned file becomes a reminder to read it (S1.11)', async () => {
    const app = await open();
    const run = await begin(project, app);
    await decide(app, await driveToRest(run.id, app.deps, live), 'approve', {
      comment: 'mind @design/r1/business_rules.yaml and @/etc/passwd',
    });
    await driveToRest(run.id, app.deps, live);
    const handoff = await readFile(join(run.dir, 'handoffs/001-init-to-execute.md'), 'utf8');
    expect(handoff).toContain('user:ada: mind @design/r1/business_rules.yaml');
    expect(handoff).toMatch(
      /mentions design\/r1\/business_rules\.yaml \(outside of the run, so left out: \/etc\/passwd\)\. Read/,
    );
  });
});

describe('nothing is lost and nothing is done twice', () => {
  test('a crash between commit and append: the step is not made again, no call is paid again', async () => {
    const app = await open();
    const run = await begin(project, app);
    await approveAll(app, run.id);
    const [calls, events] = [(await run.spending.list()).length, await run.journal.read()];
    // The moment after the commit and before the append: the event is not there yet.
    await rm(join(run.dir, 'events', `${String(events.length - 1).padStart(6, '0')}.json`));
    expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'executing', iteration: 2 });
    expect(await reconcile(app.deps)).toEqual([run.id]);
    await app.deps.queue.idle();
    expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'succeeded' });
    expect((await run.journal.read()).at(-1)?.body).toEqual(events.at(-1)?.body);
    expect((await run.spending.list()).length).toBe(calls);
  });

  test('an abort in the middle of an iteration, then a resume: paid calls are replayed, not paid again', async () => {
    const stop = new AbortController();
    let seen = 0;
    const first = await open((event) => {
      if (event.type === 'iteration') stop.abort(new Error('stopped'));
      if (event.type === 'sample') seen += 1;
    });
    const run = await begin(project, first);
    // The step is whole but its event may not be written: everything in it was paid for.
    await approveAll(first, run.id, stop.signal).catch((error: unknown) =>
      expect(error).toMatchObject({ message: 'stopped' }),
    );
    const settled = async () =>
      (await run.spending.list()).filter((record) => record.answers > 0).map((record) => record.call);
    const paid = (await settled()).filter((call) => call.startsWith('execute.i1.'));
    expect(seen).toBe(3);

    const second = await open();
    expect(await approveAll(second, run.id)).toMatchObject({ status: 'succeeded', iteration: 2 });
    expect((await settled()).filter((call) => call.startsWith('execute.i1.'))).toEqual(paid);
  });

  test('an abort between two samples: the step is made again from its beginning, and only what is new is paid', async () => {
    const stop = new AbortController();
    let seen = 0;
    const first = await open((event) => {
      if (event.type === 'sample' && (seen += 1) === 2) stop.abort(new Error('stopped'));
    });
    const run = await begin(project, first);
    await expect(approveAll(first, run.id, stop.signal)).rejects.toThrow('stopped');
    const settled = async () =>
      (await run.spending.list()).filter((record) => record.answers > 0).map((record) => record.call);
    const before = await settled();
    expect(before.length).toBeGreaterThan(8);

    const second = await open();
    expect(await approveAll(second, run.id)).toMatchObject({ status: 'succeeded', iteration: 2 });
    const after = await settled();
    // Every call that was paid for is still the one that counts, and none of them was made again under another digest.
    expect(after).toEqual(expect.arrayContaining(before));
    const numbered = after.map((call) => call.replace(/\.[0-9a-f]{8}$/, ''));
    expect(new Set(numbered).size).toBe(numbered.length);
    const entries = await run.transcripts.read('execute');
    expect(entries.map((entry) => entry.id)).toEqual(entries.map((_, index) => `e${index + 1}`));
  });

  test('two workers on one run: one event for each step, and the verdict of one worker', async () => {
    const [one, two] = [await open(), await open()];
    const run = await begin(project, one);
    const together = await Promise.allSettled([advance(run.id, one.deps, live), advance(run.id, two.deps, live)]);
    expect(together.some((result) => result.status === 'fulfilled')).toBe(true);
    expect((await run.journal.read()).map((event) => event.body.type)).toEqual(['run.created', 'run.started']);
    expect(await approveAll(two, run.id)).toMatchObject({ status: 'succeeded' });
  });
});
