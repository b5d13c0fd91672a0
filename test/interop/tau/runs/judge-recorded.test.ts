import { describe, expect, test } from 'vitest';
import { judgeRecorded } from '../../../../src/interop/tau/runs/judge-recorded.ts';
import type { RecordedRun } from '../../../../src/interop/tau/runs/recorded-run.ts';
import { calls, criteria, tau1, tau2 } from '../../rows.ts';

function rewardOf(run: RecordedRun): number | string {
  const judged = judgeRecorded(run);
  return judged.ok ? judged.reward : judged.why;
}

const off = [{ op: 'replace', path: '/lamps/L1/on', value: false }];

describe('tau-bench (version 1)', () => {
  test('passes when the worlds end alike and every word was said', () => {
    expect(rewardOf(tau1())).toBe(1);
    expect(rewardOf(tau1({ must_communicate: ['1200'] }))).toBe(1);
    expect(rewardOf(tau1({ termination: 'transfer' }))).toBe(1);
  });

  test('commas are taken out of what was said, and not out of what must be said', () => {
    expect(rewardOf(tau1({ must_communicate: ['1,200'] }))).toBe(0);
    expect(rewardOf(tau1({ must_communicate: ['IT COSTS'] }))).toBe(1);
    expect(rewardOf(tau1({ must_communicate: ['1200', '7'] }))).toBe(0);
  });

  test('the text beside a tool call was never shown to the user and says nothing', () => {
    const messages = [
      {
        role: 'assistant',
        content: '1200',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }],
      },
    ];
    expect(rewardOf(tau1({ must_communicate: ['1200'], messages }))).toBe(0);
  });

  test('one operation too few, too many or other in its value is another end; the order among places is free', () => {
    expect(rewardOf(tau1({ final_db_diff: [] }))).toBe(0);
    expect(rewardOf(tau1({ gold_db_diff: [] }))).toBe(0);
    expect(rewardOf(tau1({ final_db_diff: off }))).toBe(0);
    const two = [
      { op: 'add', path: '/a', value: [1, 2] },
      { op: 'remove', path: '/b' },
    ];
    expect(rewardOf(tau1({ final_db_diff: two, gold_db_diff: two.toReversed() }))).toBe(1);
    expect(
      rewardOf(tau1({ final_db_diff: two, gold_db_diff: [{ op: 'add', path: '/a', value: [2, 1] }, two[1]] })),
    ).toBe(0);
  });

  test('a run that did not end by itself is worth nothing', () => {
    expect(rewardOf(tau1({ termination: 'max_steps' }))).toBe(0);
    expect(rewardOf(tau1({ termination: null }))).toBe(0);
  });
});

describe('tau2-bench', () => {
  test.each(['max_steps', 'too_many_errors', 'agent_error', 'user_error', 'infrastructure_error', 'timeout', ''])(
    'an end by "%s" is worth nothing',
    (termination) => {
      expect(rewardOf(tau2({ termination }))).toBe(0);
    },
  );

  test.each(['user_stop', 'agent_stop', 'TerminationReason.USER_STOP'])('an end by "%s" is judged', (termination) => {
    expect(rewardOf(tau2({ termination }))).toBe(1);
  });

  test('only what stands in the reward basis counts', () => {
    const wrong = { final_db_diff: off };
    expect(rewardOf(tau2(wrong))).toBe(0);
    expect(rewardOf(tau2({ ...wrong, evaluation_criteria: criteria({ reward_basis: ['COMMUNICATE'] }) }))).toBe(1);
    expect(rewardOf(tau2({ ...wrong, evaluation_criteria: criteria({ reward_basis: [] }) }))).toBe(1);
    expect(rewardOf(tau2({ ...wrong, evaluation_criteria: criteria({ reward_basis: null }) }))).toBe(0);
    expect(rewardOf(tau2({ ...wrong, evaluation_criteria: null }))).toBe(1);
  });

  test('words count beside a tool call too', () => {
    const messages = [{ ...calls({ name: 'switch_on', arguments: {} }), content: 'mastercard' }];
    const evaluation_criteria = criteria({ communicate_info: ['MasterCard'] });
    expect(rewardOf(tau2({ messages, evaluation_criteria }))).toBe(1);
    expect(rewardOf(tau2({ evaluation_criteria: criteria({ communicate_info: ['61'] }) }))).toBe(0);
  });

  test('no worlds are compared for a task that has neither gold calls nor predicates', () => {
    const final_db_diff = off;
    expect(rewardOf(tau2({ final_db_diff, evaluation_criteria: criteria({ actions: null }) }))).toBe(1);
    expect(rewardOf(tau2({ final_db_diff, evaluation_criteria: criteria({ actions: [] }) }))).toBe(0);
    expect(
      rewardOf(tau2({ final_db_diff, evaluation_criteria: criteria({ actions: null, env_assertions: [] }) })),
    ).toBe(0);
  });

  test('every predicate must be met, and as many answers as predicates must be there', () => {
    const evaluation_criteria = criteria({
      env_assertions: [
        { env_type: 'user', func_name: 'is_lit', arguments: {}, assert_value: false, message: null },
        { func_name: 'b' },
      ],
      reward_basis: ['ENV_ASSERTION'],
    });
    const recorded = { reward: 1, breakdown: null };
    expect(rewardOf(tau2({ evaluation_criteria, recorded, env_assertion_results: [true, true] }))).toBe(1);
    expect(rewardOf(tau2({ evaluation_criteria, recorded, env_assertion_results: [true, false] }))).toBe(0);
    expect(rewardOf(tau2({ evaluation_criteria, recorded, env_assertion_results: [true] }))).toMatch(/ENV_ASSERTION/);
    expect(rewardOf(tau2({ evaluation_criteria: criteria({ reward_basis: ['ENV_ASSERTION'] }) }))).toBe(1);
  });

  test('ACTION wants every gold call, by the user too, and compares the arguments that the task names', () => {
    const wants = (compare_args: string[] | null, args: Record<string, unknown>, requestor = 'assistant') =>
      criteria({
        reward_basis: ['ACTION'],
        actions: [{ action_id: 'a', requestor, name: 'switch_on', arguments: args, compare_args }],
      });
    const run = (evaluation_criteria: unknown, more = {}) => rewardOf(tau2({ evaluation_criteria, ...more }));
    expect(run(wants(null, { lamp: 'L1' }))).toBe(1);
    expect(run(wants(null, { lamp: 'L2' }))).toBe(0);
    expect(run(wants([], { lamp: 'L2' }))).toBe(1);
    expect(run(wants(['lamp'], { lamp: 'L1', colour: 'red' }))).toBe(1);
    expect(run(wants(['lamp', 'colour'], { lamp: 'L1', colour: 'red' }))).toBe(0);
    // Without a list the arguments of the call decide: what it leaves out is not compared.
    expect(run(wants(null, { lamp: 'L1', colour: 'red' }))).toBe(1);
    const messages = [calls({ name: 'switch_on', arguments: {} }, 'user')];
    expect(run(wants(null, { lamp: 'L9' }, 'user'), { messages })).toBe(1);
    expect(run(criteria({ reward_basis: ['ACTION'], actions: null }))).toBe(1);
  });

  test('a statement that needs a model is taken over from the recording, never made up', () => {
    const evaluation_criteria = criteria({ reward_basis: ['DB', 'NL_ASSERTION'], nl_assertions: ['Is polite.'] });
    const breakdown = { DB: 1, NL_ASSERTION: 0 };
    const judged = judgeRecorded(tau2({ evaluation_criteria, recorded: { reward: 0, breakdown } }));
    expect(judged).toMatchObject({ reward: 0, components: { NL_ASSERTION: { value: 0, by: 'recorded' } } });
    expect(rewardOf(tau2({ evaluation_criteria, recorded: { reward: 1 } }))).toMatch(/NL_ASSERTION cannot be judged/);
    // Zero times anything is zero: nothing needs to be known of the rest.
    expect(rewardOf(tau2({ evaluation_criteria, final_db_diff: off, recorded: { reward: 1 } }))).toBe(0);
  });

  test('a row without its diffs is not judged by what it says about itself', () => {
    const evaluation_criteria = criteria();
    expect(rewardOf(tau2({ evaluation_criteria, final_db_diff: null }))).toMatch(/DB cannot be judged: final_db_diff/);
  });
});
