/** The journal of a session becomes its state, and an event that does not fit is refused. */
import { describe, expect, test } from 'vitest';
import { foldTurns } from '../../src/run/fold-turns.ts';
import type { SessionBody, SessionEvent } from '../../src/run/session-event.ts';

const started: SessionBody = {
  ...{ type: 'session.started', machineVersion: 1, agent: 'init', budgetUsd: 5, simulated: true },
};
const said = (turn: number, lane = 'main', after = ''): SessionBody => ({
  ...{ type: 'session.said', turn, lane, after, text: `words ${turn}`, files: [], images: [], via: 'cli' },
});
const answered = (turn: number, last?: string): SessionBody => ({
  ...{ type: 'session.answered', turn, end: 'answered', calls: 1, usd: 0.1 },
  ...(last === undefined ? {} : { entries: { first: 'e1', last } }),
});
const undone = (turn: number): SessionBody => ({ type: 'session.undone', turn });
const cleared: SessionBody = { type: 'session.cleared' };

const at = (second: number): string => `2026-11-20T10:00:0${second}.000Z`;

function after(...story: readonly SessionBody[]) {
  return foldTurns(
    story.map((body, seq): SessionEvent => ({ seq, prev: '', hash: '', ts: at(seq), actor: 'user:ada', body })),
  );
}
const refused = (why: RegExp) =>
  expect.objectContaining({ code: 'event_refused', message: expect.stringMatching(why) });

describe('a session', () => {
  test('begins with who asked for it, in an empty main lane', () => {
    const now = after(started);
    expect(now).toMatchObject({ agent: 'init', startedBy: 'user:ada', startedAt: at(0), lane: 'main', head: '' });
    expect(now).toMatchObject({ length: 1, turns: [], begun: 0 });
    expect(now).not.toHaveProperty('type');
    expect(now).not.toHaveProperty('machineVersion');
  });

  test('has an open turn until that is answered, and goes on behind its last entry', () => {
    const asked = after(started, said(1));
    expect(asked).toMatchObject({
      begun: 1,
      length: 2,
      lastAt: at(1),
      open: { turn: 1, actor: 'user:ada', ts: at(1) },
    });
    const done = after(started, said(1), answered(1, 'e4'));
    expect(done).toMatchObject({
      head: 'e4',
      turns: [{ turn: 1, text: 'words 1', end: { end: 'answered', usd: 0.1 } }],
    });
    expect(done.open).toBeUndefined();
    expect(done.turns[0]?.end).not.toHaveProperty('turn');
    // Of a turn in which nothing was said the conversation stays where it was.
    expect(after(started, said(1), answered(1, 'e4'), said(2), answered(2)).head).toBe('e4');
  });

  test('takes a turn back with all that followed, and counts on all the same', () => {
    const two = [started, said(1), answered(1, 'e4'), said(2, 'main', 'e4'), answered(2, 'e8')];
    const back = after(...two, undone(2));
    expect(back).toMatchObject({ head: 'e4', lane: 'main', begun: 2, turns: [{ turn: 1 }] });
    expect(after(...two, undone(1))).toMatchObject({ head: '', turns: [] });
    expect(after(...two, undone(2), said(3, 'main', 'e4')).turns.map(({ turn }) => turn)).toEqual([1, 3]);
  });

  test('goes on in a new lane once it is cleared, and back in the old one when that is taken back', () => {
    const once = after(started, said(1), answered(1, 'e4'), cleared);
    expect(once).toMatchObject({ lane: 'main-2', head: '', turns: [{ turn: 1 }] });
    expect(after(started, cleared, cleared).lane).toBe('main-3');
    expect(after(started, said(1), answered(1, 'e4'), cleared, undone(1))).toMatchObject({ lane: 'main', head: '' });
  });

  test('remembers what was set, and who chose the model', () => {
    const set = after(started, { type: 'session.set', model: 'other', budgetUsd: 9 });
    expect(set).toMatchObject({ model: 'other', budgetUsd: 9, modelChosen: { actor: 'user:ada', at: at(1) } });
    const policy = after(started, { type: 'session.set', policy: 'short' });
    expect(policy).toMatchObject({ policy: 'short', budgetUsd: 5 });
    expect(policy).not.toHaveProperty('modelChosen');
    // While a turn is open, too.
    expect(after(started, said(1), { type: 'session.set', model: 'other' })).toMatchObject({ open: { turn: 1 } });
  });
});

test.each([
  ['words before the beginning', [said(1)], /session\.said does not fit the session: the session has not begun/],
  ['a second beginning', [started, started], /begun already/],
  ['another turn than the next', [started, said(2)], /the next turn is 1/],
  ['a turn while one is open', [started, said(1), said(2)], /turn 1 has no end yet/],
  ['clearing while one is open', [started, said(1), cleared], /turn 1 has no end yet/],
  ['taking back while one is open', [started, said(1), undone(1)], /turn 1 has no end yet/],
  ['an answer to nothing', [started, answered(1)], /turn 1 is not the one/],
  ['an answer to another turn', [started, said(1), answered(2)], /turn 2 is not the one/],
  ['a second answer', [started, said(1), answered(1), answered(1)], /turn 1 is not the one/],
  ['taking back what is not there', [started, undone(1)], /no turn 1 to take back/],
  ['taking back twice', [started, said(1), answered(1), undone(1), undone(1)], /no turn 1/],
])('%s is refused', (_name, story, why) => {
  expect(() => after(...story)).toThrow(refused(why));
});

test('a journal without an event is no session', () => {
  expect(() => after()).toThrow(expect.objectContaining({ code: 'data_corrupt' }));
});
