/** The door that takes decisions back, with a real run folder and the offline model behind it. */
import { describe, expect, test } from 'vitest';
import { advance } from '../../src/pipeline/drive/advance.ts';
import { beginStep } from '../../src/pipeline/drive/begin-step.ts';
import { stateOf } from '../../src/pipeline/drive/drive.ts';
import { handoffPath } from '../../src/run/layout.ts';
import { undoDecision } from '../../src/gate/undo.ts';
import { openRunIndex } from '../../src/run-folder/run-index.ts';
import type { UndoRequest } from '../../src/ports/decisions.ts';
import { eachWaiting } from '../support/asking.ts';
import { decide, live } from '../support/project.ts';

const OPEN = { starterMayDecide: true, policyMayDecide: false } as const;
const LISTED = { ...OPEN, deciders: ['user:ada', 'user:bob', 'user:olga'], owners: ['user:olga'] };

const here = eachWaiting();
const state = () => stateOf(here.run.id, here.app.deps);
const undo = (more: Partial<UndoRequest> = {}, permissions: Parameters<typeof undoDecision>[1] = OPEN) =>
  undoDecision(
    { run: here.run.dir, gate: 'HITL-1.r1', comment: '', actor: 'user:ada', via: 'test', ...more },
    permissions,
    here.app.deps,
  );
const answer = async (decision: 'approve' | 'reject' | 'request_changes', actor = 'user:ada') =>
  decide(here.app, await state(), decision, {
    run: here.run.dir,
    comment: 'because',
    actor,
    nonce: `${decision} ${actor}`,
  });
const refusal = (code: string) =>
  expect.objectContaining({ code: 'gate_refused', details: expect.objectContaining({ refusal: code }) });
const executed = async () => (await here.run.spending.list()).filter(({ call }) => call.startsWith('execute.'));

describe('a decision is taken back', () => {
  test.each(['approve', 'reject', 'request_changes'] as const)(
    '%s, and the gate waits with the same digest',
    async (kind) => {
      const before = await state();
      await answer(kind);
      expect(await undo()).toMatchObject({ decision: { decision: kind, actor: 'user:ada' } });
      expect(await state()).toMatchObject({
        status: 'awaiting_approval',
        gate: 'gate' in before && { digest: before.gate.digest },
      });
      expect(await advance(here.run.id, here.app.deps, live)).toMatchObject({ type: 'wait', for: 'decision' });
    },
  );

  test('leaves no hand-off that tells of an approval', async () => {
    await answer('approve');
    await here.run.write(handoffPath('init', 1), 'approved by user:ada');
    await undo();
    expect(await here.run.read(handoffPath('init', 1))).toBeUndefined();
  });

  test('asking twice changes nothing, and after deciding again it is another decision', async () => {
    await answer('approve');
    const once = await undo();
    expect(await undo()).toMatchObject({ at: once.at });
    await decide(here.app, await state(), 'approve', { run: here.run.dir, nonce: 'second' });
    expect((await undo()).at).not.toBe(once.at);
    expect((await state()).undone).toHaveLength(2);
  });

  test('a rejected run is seen again by whoever lists the gates', async () => {
    const index = openRunIndex(here.app.deps.store);
    await answer('reject');
    const seen = async () => (await index.look()).runs.find(({ id }) => id === here.run.id);
    expect((await seen())?.gate).toBeUndefined();
    await undo();
    expect(await seen()).toMatchObject({ gate: { id: 'HITL-1.r1' }, isOver: false });
  });
});

describe('a worker and an undo', () => {
  test('a worker leaves a fresh decision alone for undo_seconds, and pays nothing when it is taken back meanwhile', async () => {
    const { reviewers } = here.app.deps;
    if (reviewers === undefined) throw new Error('the shipped configuration has reviewers');
    const deps = { ...here.app.deps, reviewers: { ...reviewers, undo_seconds: 3600 } };
    await answer('approve');
    const working = advance(here.run.id, deps, live);
    await undo();
    expect(await working).toMatchObject({ type: 'wait', for: 'decision' });
    expect(await executed()).toEqual([]);
  });

  test('a worker that comes to its first paid call too late stops before it pays', async () => {
    await answer('approve');
    const mark = beginStep(here.run, 'execute.i1');
    await undo();
    await expect(mark()).rejects.toMatchObject({ code: 'attempt_lost' });
    await expect(mark()).rejects.toMatchObject({ code: 'attempt_lost' });
  });

  test('after the first paid call it is too late, and the answer says what is left', async () => {
    await answer('approve');
    await beginStep(here.run, 'execute.i1')();
    await expect(undo()).rejects.toEqual(refusal('undo_closed'));
    await expect(undo()).rejects.toThrow(
      /Too late to undo: the next step has begun to spend money.*tandem cancel run-/,
    );
    expect((await here.run.journal.read()).filter(({ body }) => body.type === 'step.begun')).toHaveLength(1);
  });

  test('a reservation of a worker that marks nothing in the journal counts too', async () => {
    await answer('approve');
    await here.run.spending.reserve(
      { call: 'execute.i1.execute.0001.x', agent: 'execute', model: 'm', worstUsd: 0.1 },
      5,
    );
    await expect(undo()).rejects.toEqual(refusal('undo_closed'));
  });

  test('a finished iteration has one mark at most, and the run ends as ever', async () => {
    await answer('approve');
    await advance(here.run.id, here.app.deps, live);
    const types = (await here.run.journal.read()).map(({ body }) => body.type);
    expect(types.filter((type) => type === 'step.begun')).toHaveLength(1);
    expect(types.indexOf('step.begun')).toBeLessThan(
      types.findIndex((type) => /^(iteration|design)\.(done|returned)$/.test(type) && type !== 'design.done'),
    );
    await expect(undo()).rejects.toEqual(refusal('undo_closed'));
  });
});

describe('who may', () => {
  test('the decider and an owner; nobody else, and never an agent or a policy', async () => {
    await answer('approve');
    await expect(undo({ actor: 'user:bob' })).rejects.toEqual(refusal('not_allowed'));
    await expect(undo({ actor: 'user:bob', whose: 'user:ada' }, LISTED)).rejects.toEqual(refusal('not_allowed'));
    await expect(undo({ actor: 'user:mallory' }, LISTED)).rejects.toEqual(refusal('not_allowed'));
    for (const actor of ['agent:init', 'policy:demo', 'worker:a', 'user:', 'agent:user:ada'])
      await expect(undo({ actor, whose: 'user:ada' })).rejects.toEqual(refusal('not_allowed'));
    expect(await undo({ actor: 'user:olga' }, LISTED)).toMatchObject({
      actor: 'user:olga',
      decision: { actor: 'user:ada' },
    });
  });

  test('nothing to take back is said plainly', async () => {
    await expect(undo()).rejects.toThrow(/has no decision to take back/);
    await expect(undo({ gate: 'HITL-1.r9' })).rejects.toEqual(refusal('nothing_to_undo'));
  });
});
