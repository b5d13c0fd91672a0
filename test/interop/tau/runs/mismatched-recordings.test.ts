import { describe, expect, test } from 'vitest';
import { differingTasks } from '../../../../src/interop/tau/runs/mismatched-recordings.ts';
import { findDoubts, mixedDesigns } from '../../../../src/interop/tau/runs/mismatched-recordings.ts';
import { rejudge } from '../../../../src/interop/tau/runs/rejudge.ts';
import type { RecordedRun } from '../../../../src/interop/tau/runs/recorded-run.ts';
import { calls, criteria, tau1, tau2 } from '../../rows.ts';

const codes = (run: RecordedRun) => findDoubts(run).map(({ code }) => code);
const gold = (args: Record<string, unknown>) =>
  criteria({ actions: [{ action_id: 'a', name: 'get_order', arguments: args }] });
const about = (order_id: string) => [calls({ name: 'get_order', arguments: { order_id } })];

describe('a row that contradicts itself', () => {
  test('a plain row raises no doubt', () => {
    expect(codes(tau1())).toEqual([]);
    expect(codes(tau2())).toEqual([]);
  });

  test('the conversation is about another order than the gold calls', () => {
    const unchanged = { final_db_diff: [] };
    const evaluation_criteria = gold({ order_id: '#W100' });
    expect(codes(tau2({ evaluation_criteria, messages: about('#W200'), ...unchanged }))).toEqual(['other-task']);
    expect(codes(tau2({ evaluation_criteria, messages: about('#W100'), ...unchanged }))).toEqual([]);
    // That somebody never came to the point is no contradiction.
    expect(codes(tau2({ evaluation_criteria, messages: [{ role: 'user', content: 'Hello?' }], ...unchanged }))).toEqual(
      [],
    );
  });

  test('the recorded reward is made of other parts than the task asks for', () => {
    expect(codes(tau2({ recorded: { reward: 1, breakdown: { DB: 1 } } }))).toEqual(['other-design']);
    expect(codes(tau2({ recorded: { reward: 1, breakdown: { DB: 1, COMMUNICATE: 1, ACTION: 1 } } }))).toEqual([
      'other-design',
    ]);
    expect(codes(tau2({ termination: 'max_steps', recorded: { reward: 0, breakdown: null } }))).toEqual([]);
  });

  test('more predicates were asked than the task has', () => {
    const evaluation_criteria = criteria({ env_assertions: [{ func_name: 'lit' }], reward_basis: ['ENV_ASSERTION'] });
    const recorded = { reward: 1, breakdown: { ENV_ASSERTION: 1 } };
    expect(codes(tau2({ evaluation_criteria, recorded, env_assertion_results: [true, true] }))).toEqual([
      'other-design',
    ]);
    expect(codes(tau2({ evaluation_criteria, recorded, env_assertion_results: [true] }))).toEqual([]);
  });

  test('the world changed, and no call could have changed it', () => {
    const silent = [{ role: 'user', content: 'Light!' }];
    expect(codes(tau1({ messages: silent }))).toEqual(['incoherent']);
    expect(codes(tau2({ messages: [...silent, calls({ name: 'get_lamp', arguments: {} })] }))).toEqual(['incoherent']);
    expect(codes(tau2({ messages: silent, final_db_diff: [] }))).toEqual([]);
    expect(codes(tau2({ messages: silent, final_db_diff: null }))).toEqual([]);
  });

  test('a tool answers a call that nobody made', () => {
    const answer = { role: 'tool', content: 'done', tool_call_id: 'c9' };
    expect(codes(tau1({ messages: [calls({ name: 'switch_on', arguments: {} }), answer] }))).toEqual(['incoherent']);
  });

  test('its two diffs cannot come from one start', () => {
    const at = (op: string) => [{ op, path: '/lamps/L1/colour', value: 'red' }];
    expect(codes(tau1({ final_db_diff: at('add'), gold_db_diff: at('replace') }))).toEqual(['other-design']);
    expect(codes(tau1({ gold_actions: [] }))).toEqual(['other-design']);
  });
});

test('two versions of one task in a file: the fewer rows are refused, and stand in no rate', () => {
  const rows = [0, 1, 2].map((trial): RecordedRun => ({ ...tau1({ trial }), at: `f:${trial + 1}` }));
  const other = { ...tau1({ trial: 3, must_communicate: ['1200'] }), at: 'f:4' };
  expect(mixedDesigns(rows)).toEqual([]);
  expect(mixedDesigns([...rows, other]).map(({ at }) => at)).toEqual(['f:4']);
  const set = rejudge('f', { runs: [...rows, other], faults: [] });
  expect(set).toMatchObject({ n: 4, agreed: 3, passK: [1, 1, 1], refused: [{ at: 'f:4', code: 'other-design' }] });
  expect(set.refused[0]?.message).toContain('results of two designs are not mixed');
});

test('files of one domain whose tasks differ are named, so that nobody compares their rates', () => {
  const set = (file: string, run: RecordedRun) => rejudge(file, { runs: [run], faults: [] });
  expect(differingTasks([set('a', tau1()), set('b', tau1())])).toEqual([]);
  expect(differingTasks([set('a', tau1()), set('b', tau1({ must_communicate: ['1200'] }))])).toEqual([
    { domain: 'lamps', files: ['a', 'b'], tasks: ['0'] },
  ]);
  expect(differingTasks([set('a', tau1()), set('b', tau2())])).toEqual([]);
});

test('a reward that the rows do not bear out is a disagreement, with the reason', () => {
  const lying = tau1({ final_db_diff: [] });
  const set = rejudge('f', { runs: [lying], faults: [] });
  expect(set).toMatchObject({
    n: 1,
    agreed: 0,
    rows: [{ agrees: false, why: [expect.stringContaining('/lamps/L1/on')] }],
  });
});
