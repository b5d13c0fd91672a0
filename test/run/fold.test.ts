import { describe, expect, test } from 'vitest';
import { applyEvent, fold } from '../../src/run/fold.ts';
import {
  after,
  APPROVED,
  cancelled,
  created,
  decided,
  DESIGNED,
  designDone,
  designReturned,
  failed,
  iterationDone,
  paused,
  PROBLEM,
  resumed,
  retried,
  started,
  type Happened,
} from '../support/run-events.ts';

describe('fold', () => {
  test('says that an empty journal is no run', () => {
    expect(() => fold([])).toThrow(expect.objectContaining({ code: 'data_corrupt' }));
  });

  test('refuses an event that does not fit and names it', () => {
    const state = after(created());
    const event = { seq: 1, ts: '', actor: 'agent:init', body: designDone(1).body };
    expect(() => applyEvent(state, event)).toThrow(
      expect.objectContaining({ code: 'event_refused', details: { seq: 1, type: 'design.done', status: 'created' } }),
    );
  });

  test('starts with who created the run, and leads to the first design round', () => {
    const state = after(created(), started());
    expect(state).toMatchObject({
      status: 'designing',
      round: 1,
      iteration: 0,
      reason: { kind: 'first' },
      startedBy: 'user:starter',
    });
    expect(state.length).toBe(2);
  });

  test('opens the gate with round, digest and pack', () => {
    expect(after(...DESIGNED)).toMatchObject({
      status: 'awaiting_approval',
      gate: {
        id: 'HITL-1.r1',
        round: 1,
        digest: 'design-1',
        packDigest: 'pack-1',
        need: 1,
        approvals: [],
        reminders: 0,
      },
      designs: [{ round: 1, digest: 'design-1', packDigest: 'pack-1', rules: 10 }],
    });
  });

  test('executes what was approved, and carries the comment to Execute', () => {
    const state = after(...DESIGNED, decided(1, 'approve', { comment: 'mind R4' }));
    expect(state).toMatchObject({
      status: 'executing',
      iteration: 1,
      designDigest: 'design-1',
      reviewerNotes: [{ gate: 'HITL-1.r1', actor: 'user:ada', comment: 'mind R4' }],
      designs: [{ round: 1, approved: 'design-1' }],
    });
    expect(state).not.toHaveProperty('gate');
  });

  test('executes the edited design after edit_approve', () => {
    const state = after(...DESIGNED, decided(1, 'edit_approve', { editedDigest: 'edited' }));
    expect(state).toMatchObject({
      status: 'executing',
      designDigest: 'edited',
      designs: [{ digest: 'design-1', approved: 'edited' }],
    });
    expect(state.decisions[0]).toMatchObject({ digest: 'design-1', editedDigest: 'edited' });
  });

  test('goes back to Init with the comment when changes are requested', () => {
    const state = after(...DESIGNED, decided(1, 'request_changes', { comment: 'R4 is unclear' }));
    expect(state).toMatchObject({
      status: 'designing',
      round: 2,
      reason: { kind: 'changes_requested', gate: 'HITL-1.r1', actor: 'user:ada', comment: 'R4 is unclear' },
    });
  });

  test('ends when the design is rejected, or the gate expires: expiry never approves', () => {
    expect(after(...DESIGNED, decided(1, 'reject', { comment: 'wrong product' }))).toMatchObject({
      status: 'rejected',
      verdict: { because: 'reviewer', why: 'user:ada rejected the design at HITL-1.r1: wrong product.' },
    });
    const expired = { body: { type: 'gate.expired', gate: 'HITL-1.r1' }, actor: 'worker:a' } as const;
    expect(after(...DESIGNED, expired)).toMatchObject({ status: 'expired', verdict: { because: 'expiry' } });
  });

  test('counts reminders and stays at the gate', () => {
    const reminded = { body: { type: 'gate.reminded', gate: 'HITL-1.r1' }, actor: 'worker:a' } as const;
    expect(after(...DESIGNED, reminded, reminded)).toMatchObject({
      status: 'awaiting_approval',
      gate: { reminders: 2 },
    });
  });

  // S0.23, S0.24
  test('numbers iterations through the whole run, across rounds', () => {
    const state = after(
      ...APPROVED,
      iterationDone(1, 0.4),
      designReturned(2, 1),
      designDone(2),
      decided(2, 'approve'),
      iterationDone(3, 0.6, 2),
    );
    expect(state).toMatchObject({ status: 'executing', round: 2, iteration: 4 });
    expect(state.iterations.map(({ iteration, round }) => [iteration, round])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
  });

  // S0.19, S0.24
  test('a returned design always leads to a new round and a new gate, however good its rate', () => {
    const back = after(...APPROVED, designReturned(1, 1, 1));
    expect(back).toMatchObject({ status: 'designing', round: 2, iteration: 1 });
    expect(back.reason).toEqual({
      kind: 'returned',
      iteration: 1,
      outputDir: 'execution_outputs/iteration_1',
      problems: [PROBLEM],
    });
    expect(back.iterations[0]?.returned).toEqual([PROBLEM]);
    expect(after(...APPROVED, designReturned(1, 1, 1), designDone(2))).toMatchObject({ gate: { id: 'HITL-1.r2' } });
  });

  test('puts an edit and an approval down to the design of their own round', () => {
    const edited = { editedDigest: 'edited-2', editedDir: 'design/r2-edited' };
    const story = [...APPROVED, designReturned(1, 1), designDone(2), decided(2, 'edit_approve', edited)];
    expect(after(...story).designs).toEqual([
      expect.not.objectContaining({ editedDir: expect.anything() }),
      expect.objectContaining({ round: 2, approved: 'edited-2', editedDir: 'design/r2-edited' }),
    ]);
    expect(after(...story).designs[0]).toMatchObject({ round: 1, approved: 'design-1' });
  });

  test('notes what an approval says, and that it edited; blanks are nothing said', () => {
    const notes = (...[decision, more]: [Parameters<typeof decided>[1], Parameters<typeof decided>[2]]) =>
      after(...DESIGNED, decided(1, decision, more)).reviewerNotes.map(({ comment }) => comment);
    const edit = { editedDigest: 'e', editedDir: 'design/r1-edited' };
    const kept = 'I edited the design before approving it: design/r1-edited is what counts, keep my edit.';
    expect(notes('approve', { comment: ' \n' })).toEqual([]);
    expect(notes('edit_approve', { ...edit, comment: ' ' })).toEqual([kept]);
    expect(notes('edit_approve', { ...edit, comment: 'mind R4' })).toEqual([`mind R4\n${kept}`]);
    expect(notes('edit_approve', { editedDigest: 'e' })).toEqual([]);
  });

  test('says why it ended in the words of who ended it, where there are any', () => {
    const why = (...story: readonly Happened[]) => {
      const state = after(...story);
      return 'verdict' in state ? state.verdict.why : '';
    };
    expect(why(...DESIGNED, decided(1, 'reject', { comment: ' ' }))).toBe('user:ada rejected the design at HITL-1.r1.');
    expect(why(...DESIGNED, decided(1, 'reject', { comment: 'no' }))).toContain('at HITL-1.r1: no.');
    const silent: Happened = { body: { type: 'run.cancelled', detail: '' }, actor: 'user:ada' };
    expect([why(created(), silent), why(created(), cancelled())]).toEqual([
      'Cancelled by user:ada.',
      'Cancelled by user:ada: not needed.',
    ]);
  });

  test('lists a raise where one was made', () => {
    const still = [created(), started(), paused()];
    expect([after(...still, resumed()).raises, after(...still, resumed(0)).raises]).toEqual([[], []]);
    expect(after(...still, resumed(5))).toMatchObject({ raises: [{ usd: 5 }], budgetUsd: 30 });
  });

  test('keeps what reviewers said until the next design opens its gate', () => {
    const story = [...DESIGNED, decided(1, 'approve', { comment: 'mind R4' }), designReturned(1, 1)];
    expect(after(...story).reviewerNotes).toHaveLength(1);
    expect(after(...story, designDone(2)).reviewerNotes).toEqual([]);
  });
});

describe('a quorum', () => {
  const two = [created(), started(), designDone(1, { need: 2 })] as const;

  test('is met by distinct people who approve the same digest', () => {
    const first = after(...two, decided(1, 'approve', { comment: 'fine' }, 'user:ada'));
    expect(first).toMatchObject({ status: 'awaiting_approval', gate: { approvals: ['user:ada'] } });
    const both = after(...two, decided(1, 'approve', {}, 'user:ada'), decided(1, 'approve', {}, 'user:bob'));
    expect(both).toMatchObject({ status: 'executing', designDigest: 'design-1' });
  });

  test('is not met by one person twice, whatever the spelling', () => {
    const again = () => after(...two, decided(1, 'approve', {}, 'user:ada'), decided(1, 'approve', {}, 'user:Ada'));
    expect(again).toThrow('has approved HITL-1.r1 already');
  });

  test('starts again when somebody edits: nobody approved what they have not seen', () => {
    const edit = decided(1, 'edit_approve', { editedDigest: 'edited' }, 'user:bob');
    const edited = after(...two, decided(1, 'approve', {}, 'user:ada'), edit);
    expect(edited).toMatchObject({ status: 'awaiting_approval', gate: { digest: 'edited', approvals: ['user:bob'] } });
    const late = () => after(...two, edit, decided(1, 'approve', {}, 'user:ada'));
    expect(late).toThrow('is about digest edited');
    const done = after(...two, edit, decided(1, 'approve', { digest: 'edited' }, 'user:ada'));
    expect(done).toMatchObject({ status: 'executing', designDigest: 'edited', designs: [{ approved: 'edited' }] });
  });

  test('is closed by one who rejects or asks for changes', () => {
    const yes = decided(1, 'approve', { comment: 'fine by me' }, 'user:ada');
    expect(after(...two, yes, decided(1, 'reject', {}, 'user:bob'))).toMatchObject({ status: 'rejected' });
    const back = after(...two, yes, decided(1, 'request_changes', { comment: 'R1?' }, 'user:bob'));
    expect(back).toMatchObject({ status: 'designing', round: 2, reviewerNotes: [{ comment: 'fine by me' }] });
  });
});

describe('a run that stands still', () => {
  test('comes back from a pause to where it was, with what was raised', () => {
    const at = after(...APPROVED, iterationDone(1, 0.4), paused('budget'));
    expect(at).toMatchObject({
      status: 'paused',
      pause: { reason: 'budget' },
      prev: { status: 'executing', designDigest: 'design-1' },
    });
    const back = after(...APPROVED, iterationDone(1, 0.4), paused('budget'), resumed(5));
    expect(back).toMatchObject({
      status: 'executing',
      iteration: 2,
      budgetUsd: 30,
      raises: [{ actor: 'user:ada', usd: 5 }],
    });
    expect(back).not.toHaveProperty('pause');
  });

  test('keeps the gate that was open, with its approvals, through a pause', () => {
    const story = [created(), started(), designDone(1, { need: 2 }), decided(1, 'approve'), paused(), resumed()];
    expect(after(...story)).toMatchObject({ status: 'awaiting_approval', gate: { approvals: ['user:ada'] } });
  });

  test('is errored by a final failure only, and goes on when it is retried', () => {
    expect(after(created(), started(), failed(false))).toMatchObject({
      status: 'designing',
      lastFailure: { message: '529' },
    });
    expect(after(created(), started(), failed(true))).toMatchObject({
      status: 'errored',
      failure: { step: 'design.r1' },
    });
    const back = after(created(), started(), failed(true), retried());
    expect(back).toMatchObject({ status: 'designing', round: 1, lastFailure: undefined });
  });

  test('forgets a failure once the step succeeds', () => {
    expect(after(created(), started(), failed(false), designDone(1)).lastFailure).toBeUndefined();
  });

  test('can be cancelled from everywhere before its end', () => {
    const places = [
      [created()],
      [created(), started()],
      [...DESIGNED],
      [...APPROVED],
      [...APPROVED, paused()],
      [...APPROVED, failed(true)],
    ];
    for (const place of places) {
      const end = after(...place, cancelled());
      expect(end).toMatchObject({ status: 'cancelled', verdict: { why: 'Cancelled by user:ada: not needed.' } });
    }
  });
});
