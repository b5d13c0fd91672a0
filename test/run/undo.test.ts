/** Taking decisions back, as the fold and the acceptance rules see it. */
import { describe, expect, test } from 'vitest';
import { listUndoable } from '../../src/run/undo.ts';
import {
  after,
  cancelled,
  created,
  decided,
  DESIGNED,
  designDone,
  failed,
  iterationDone,
  paused,
  resumed,
  started,
  type Happened,
} from '../support/run-events.ts';

const TWO = [created(), started(), designDone(1, { need: 2 })] as const;

const undone = (undoes: string, actor = 'user:ada', round = 1): Happened => ({
  body: { type: 'gate.undone', gate: `HITL-1.r${round}`, round, undoes, comment: 'too early', via: 'cli' },
  actor,
});
const begun = (step: string): Happened => ({ body: { type: 'step.begun', step }, actor: 'worker:a' });
const approve = (nonce: string, actor = 'user:ada', digest = 'design-1') =>
  decided(1, 'approve', { nonce, digest }, actor);
const edit = (nonce: string, actor: string) =>
  decided(1, 'edit_approve', { nonce, editedDigest: 'edited-1', editedDir: 'design/r1-edited-0123456789ab' }, actor);
const refused = (why: RegExp) =>
  expect.objectContaining({ code: 'event_refused', message: expect.stringMatching(why) });

test('what can be taken back: what was decided at the newest gate, while its run may go on', () => {
  const names = (...story: readonly Happened[]) => listUndoable(after(...story)).map(({ nonce }) => nonce);
  const changes = decided(1, 'request_changes', { nonce: 'n', comment: 'x' });
  expect(names(...DESIGNED)).toEqual([]);
  expect(names(...DESIGNED, approve('n'))).toEqual(['n']);
  expect(names(...DESIGNED, approve('n'), begun('execute.i1'))).toEqual([]);
  expect(names(...DESIGNED, approve('n'), cancelled())).toEqual([]);
  expect(names(...DESIGNED, changes, designDone(2))).toEqual([]);
  expect(names(...TWO, approve('n'))).toEqual(['n']);
  const expired: Happened = { body: { type: 'gate.expired', gate: 'HITL-1.r1' }, actor: 'worker:a' };
  expect(names(...TWO, approve('n'), expired)).toEqual([]);
});

describe('a decision that is taken back', () => {
  test.each([
    ['approve', {}],
    ['reject', { comment: 'no' }],
    ['request_changes', { comment: 'R1 is unclear' }],
    ['edit_approve', { editedDigest: 'edited-1', editedDir: 'design/r1-edited-0123456789ab' }],
  ] as const)('%s leaves the gate as it was, with the same digest', (decision, more) => {
    const open = after(...DESIGNED);
    const again = after(...DESIGNED, decided(1, decision, { nonce: 'n', ...more }), undone('n'));
    const { length: _one, undone: taken, opened: _opened, ...now } = again;
    const { length: _other, undone: _none, opened: _gate, ...before } = open;
    expect(now).toEqual({ ...before, gate: { ...('gate' in before ? before.gate : {}), heldMs: 1000 } });
    expect(taken).toMatchObject([{ actor: 'user:ada', comment: 'too early', decision: { decision, nonce: 'n' } }]);
  });

  test('counts nowhere: notes, edits and the decision itself are gone, and deciding again works', () => {
    const story = [...DESIGNED, edit('n1', 'user:ada'), undone('n1')] as const;
    expect(after(...story)).toMatchObject({ decisions: [], reviewerNotes: [], designs: [{ digest: 'design-1' }] });
    expect(after(...story).designs[0]).not.toHaveProperty('editedDir');
    expect(after(...story, approve('n2'))).toMatchObject({ status: 'executing', designDigest: 'design-1' });
  });

  test('keeps its nonce used up', () => {
    expect(() => after(...DESIGNED, approve('n1'), undone('n1'), approve('n1'))).toThrow(refused(/nonce is known/));
  });

  test('keeps what was spent and raised meanwhile, and a pause stays a pause', () => {
    const raised = after(...DESIGNED, approve('n1'), paused(), resumed(5), undone('n1'));
    expect(raised).toMatchObject({ status: 'awaiting_approval', budgetUsd: 30, raises: [{ usd: 5 }] });
    const resting = after(...DESIGNED, approve('n1'), paused(), undone('n1'));
    expect(resting).toMatchObject({ status: 'paused', prev: { status: 'awaiting_approval', gate: { approvals: [] } } });
    expect(after(...DESIGNED, approve('n1'), paused(), undone('n1'), resumed())).toMatchObject({
      status: 'awaiting_approval',
    });
  });

  test('may have ended the run by the cap on rounds', () => {
    const last = [created({ maxRounds: 1 }), started(), designDone(1)] as const;
    const ended = [...last, decided(1, 'request_changes', { nonce: 'n', comment: 'more' })] as const;
    expect(after(...ended)).toMatchObject({ status: 'failed' });
    expect(after(...ended, undone('n'))).toMatchObject({ status: 'awaiting_approval', round: 1 });
  });

  test('may stand before a step that could not even begin', () => {
    expect(after(...DESIGNED, approve('n'), failed(true), undone('n'))).toMatchObject({
      status: 'awaiting_approval',
      lastFailure: undefined,
    });
  });

  test('leaves reminders as they were, and the time it stood answered counts for no deadline', () => {
    const reminded: Happened = { body: { type: 'gate.reminded', gate: 'HITL-1.r1' }, actor: 'worker:clock' };
    const twice = [...DESIGNED, reminded, approve('n1'), paused(), undone('n1')] as const;
    expect(after(...twice, resumed(), approve('n2'), undone('n2'))).toMatchObject({
      gate: { reminders: 1, heldMs: 3000 },
    });
  });
});

describe('a quorum', () => {
  test('keeps every other vote, whichever is taken back', () => {
    const both = [...TWO, approve('a', 'user:ada'), approve('b', 'user:bob')] as const;
    expect(after(...both)).toMatchObject({ status: 'executing' });
    expect(after(...both, undone('a'))).toMatchObject({ gate: { approvals: ['user:bob'] } });
    expect(after(...both, undone('b', 'user:bob'))).toMatchObject({ gate: { approvals: ['user:ada'] } });
    expect(after(...both, undone('a'), approve('c', 'user:cy'))).toMatchObject({ status: 'executing' });
  });

  test('counts all the time for which the gate was answered, however often, and none in which it waited', () => {
    const again = [...DESIGNED, approve('n1'), undone('n1'), approve('n2'), undone('n2')];
    expect(after(...again)).toMatchObject({ gate: { heldMs: 2000 } });
    const waiting = [...TWO, edit('n1', 'user:ada'), undone('n1')];
    expect(after(...waiting)).not.toHaveProperty('gate.heldMs');
    const votes = [...TWO, approve('n1'), approve('n2', 'user:bob'), undone('n2', 'user:bob'), undone('n1')];
    expect(after(...votes)).toMatchObject({ gate: { heldMs: 1000, approvals: [] } });
    expect(after(...TWO, approve('n1'), paused(), undone('n1'))).not.toHaveProperty('prev.gate.heldMs');
  });

  test('leaves the decisions of earlier rounds alone', () => {
    const changes = decided(1, 'request_changes', { nonce: 'n1', comment: 'x' });
    const second = [...DESIGNED, changes, designDone(2)];
    const back = after(...second, decided(2, 'approve', { nonce: 'n2' }), undone('n2', 'user:ada', 2));
    expect(back).toMatchObject({ status: 'awaiting_approval', gate: { id: 'HITL-1.r2', approvals: [] } });
    expect(back.decisions.map(({ nonce }) => nonce)).toEqual(['n1']);
  });

  test('gives a vote back while the gate still waits, and its time runs on', () => {
    const state = after(...TWO, approve('a'), undone('a'));
    expect(state).toMatchObject({ status: 'awaiting_approval', gate: { approvals: [] } });
    expect('gate' in state && state.gate.heldMs).toBeFalsy();
  });

  test('lets no edit go from under later votes, and no vote that an edit has voided', () => {
    const story = [
      ...TWO,
      approve('a', 'user:ada'),
      edit('b', 'user:bob'),
      approve('c', 'user:ada', 'edited-1'),
    ] as const;
    expect(listUndoable(after(...story)).map(({ nonce }) => nonce)).toEqual(['c']);
    for (const nonce of ['a', 'b']) expect(() => after(...story, undone(nonce))).toThrow(refused(/others were made/));
    const back = after(...story, undone('c'), undone('b', 'user:bob'));
    expect(back).toMatchObject({ gate: { digest: 'design-1', approvals: ['user:ada'] } });
  });

  test('that somebody else has ended by a rejection is ended until that one takes it back', () => {
    const story = [...TWO, approve('a', 'user:ada'), decided(1, 'reject', { nonce: 'r' }, 'user:bob')] as const;
    expect(() => after(...story, undone('a'))).toThrow(refused(/others were made/));
    expect(after(...story, undone('r', 'user:bob'))).toMatchObject({ gate: { approvals: ['user:ada'] } });
  });
});

describe('taking back is refused', () => {
  test('once the next step has begun to pay', () => {
    const begunI1 = [...DESIGNED, approve('n'), begun('execute.i1')] as const;
    expect(() => after(...begunI1, undone('n'))).toThrow(refused(/begun to spend/));
    expect(() => after(...DESIGNED, approve('n'), iterationDone(1, 0.5), undone('n'))).toThrow(refused(/begun/));
    const changes = [...DESIGNED, decided(1, 'request_changes', { nonce: 'n', comment: 'x' })] as const;
    expect(() => after(...changes, begun('design.r2'), undone('n'))).toThrow(refused(/begun to spend/));
  });

  test('of a run that was cancelled, of an earlier round, and for agents and policies', () => {
    expect(() => after(...DESIGNED, approve('n'), cancelled(), undone('n'))).toThrow(refused(/needs a run that is/));
    const next = [...DESIGNED, decided(1, 'request_changes', { nonce: 'n', comment: 'x' }), designDone(2)] as const;
    expect(() => after(...next, undone('n'))).toThrow(refused(/newest gate is HITL-1.r2/));
    const { body } = undone('n');
    const odd = { body: { ...body, round: 2 }, actor: 'user:ada' } as Happened;
    expect(() => after(...DESIGNED, approve('n'), odd)).toThrow(refused(/newest gate is HITL-1.r1/));
    for (const actor of ['agent:init', 'policy:demo', 'worker:a'])
      expect(() => after(...DESIGNED, approve('n'), undone('n', actor))).toThrow(refused(/only a person/));
  });
});

test('the mark of a beginning names the step that is next, and no step begins at a gate', () => {
  expect(() => after(...DESIGNED, begun('execute.i1'))).toThrow(refused(/needs a run that is designing or executing/));
  expect(() => after(...DESIGNED, approve('n'), begun('execute.i2'))).toThrow(refused(/the next step is execute.i1/));
});
