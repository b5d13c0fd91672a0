/** One wake-up performs one command and appends what happened, until somebody else must act. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import type { ProgressEvent } from '../../../src/ports/progress.ts';
import { readState } from '../../../src/run-folder/snapshot.ts';
import { begin, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
const events: ProgressEvent[] = [];

beforeAll(async () => {
  project = await makeProject();
  app = await project.open((event) => events.push(event));
});
afterAll(async () => {
  await app.close();
  await project.remove();
});

const typesOf = async (run: RunFolder) => (await run.journal.read()).map(({ body }) => body.type);

test('starts a run, then makes its design, then waits without another event', async () => {
  const run = await begin(project, app, 'whole');
  expect(await advance(run.id, app.deps, live)).toEqual({ type: 'start' });
  expect(await advance(run.id, app.deps, live)).toMatchObject({ type: 'design', round: 1 });
  expect(await typesOf(run)).toEqual(['run.created', 'run.started', 'design.done']);
  expect(await advance(run.id, app.deps, live)).toMatchObject({ type: 'wait', for: 'decision' });
  expect(await typesOf(run)).toHaveLength(3);
  expect(events).toContainEqual(expect.objectContaining({ type: 'gate', gate: 'HITL-1.r1', outcome: 'opened' }));
});

test('two wake-ups at once append one event', async () => {
  const run = await begin(project, app, 'twice');
  await Promise.all([advance(run.id, app.deps, live), advance(run.id, app.deps, live)]);
  expect(await typesOf(run)).toEqual(['run.created', 'run.started']);
});

test('money that a dead process held for a call which the step was made without is written off when the step ends', async () => {
  const run = await begin(project, app, 'dead');
  await advance(run.id, app.deps, live);
  const { budgetUsd } = await readState(run);
  const mine = { call: 'design.r1.init.0099.dead', agent: 'init', model: 'm', worstUsd: 0.25 };
  const later = { ...mine, call: 'design.r10.init.0001.other' };
  for (const one of [mine, later]) await run.spending.reserve(one, budgetUsd);
  expect(await advance(run.id, app.deps, live)).toMatchObject({ type: 'design' });
  const left = (await run.spending.list()).filter(({ agent, model }) => agent === 'init' && model === 'm');
  expect(left).toMatchObject([
    { call: mine.call, reservedUsd: 0, uncertainUsd: 0.25 },
    { call: later.call, reservedUsd: 0.25, uncertainUsd: 0 },
  ]);
});

test('a step that the budget has no room for pauses the run', async () => {
  const run = await begin(project, app, 'poor');
  await advance(run.id, app.deps, live);
  const { budgetUsd } = await readState(run);
  const rest = { call: 'design.r1.other', agent: 'init', model: 'm', worstUsd: budgetUsd - 0.000001 };
  const { nth } = await run.spending.reserve(rest, budgetUsd);
  await run.spending.fail(rest.call, { nth, usd: rest.worstUsd, uncertainUsd: 0 });
  await advance(run.id, app.deps, live);
  expect(await readState(run)).toMatchObject({ status: 'paused', pause: { reason: 'budget', actor: 'worker:tandem' } });
});
