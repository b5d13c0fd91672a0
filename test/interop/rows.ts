/** Rows of recordings, as small as the readers take them. */
import type { RecordedRun } from '../../src/interop/tau/runs/recorded-run.ts';
import { readRow } from '../../src/interop/tau/runs/read-row.ts';

type Fields = Record<string, unknown>;

export function tau1Row(more: Fields = {}): Fields {
  return {
    source: 'test',
    domain: 'lamps',
    task_id: '0',
    trial: 0,
    termination: 'stop',
    messages: [
      { role: 'user', content: 'Order 12 please.' },
      calls({ name: 'switch_on', arguments: { lamp: 'L1' } }),
      { role: 'assistant', content: 'It costs 1,200 in all.' },
      { role: 'user', content: '###STOP###' },
    ],
    gold_actions: [{ name: 'switch_on', kwargs: { lamp: 'L1' } }],
    gold_action_errors: [],
    must_communicate: [],
    instruction: 'Order a lamp.',
    final_db_diff: [{ op: 'replace', path: '/lamps/L1/on', value: true }],
    gold_db_diff: [{ op: 'replace', path: '/lamps/L1/on', value: true }],
    recorded: { reward: 1, pass: 1 },
    ...more,
  };
}

export function criteria(more: Fields = {}): Fields {
  return {
    actions: [
      { action_id: '0_0', requestor: 'assistant', name: 'switch_on', arguments: { lamp: 'L1' }, compare_args: null },
    ],
    env_assertions: null,
    communicate_info: [],
    nl_assertions: null,
    reward_basis: ['DB', 'COMMUNICATE'],
    ...more,
  };
}

export function tau2Row(more: Fields = {}): Fields {
  return {
    source: 'test',
    domain: 'lamps',
    model: 'm',
    task_id: '0',
    trial: 0,
    termination: 'user_stop',
    messages: [
      { role: 'user', content: 'Light!', tool_calls: null },
      calls({ name: 'switch_on', arguments: { lamp: 'L1' } }),
      { id: 'c1', role: 'tool', content: 'done', requestor: 'assistant', error: false },
      { role: 'assistant', content: 'It is 60 watts, by MasterCard.', tool_calls: null },
    ],
    evaluation_criteria: criteria(),
    gold_action_errors: [],
    final_db_diff: [{ op: 'replace', path: '/agent/lamps/L1/on', value: true }],
    gold_db_diff: [{ op: 'replace', path: '/agent/lamps/L1/on', value: true }],
    env_assertion_results: [],
    recorded: { reward: 1, breakdown: { DB: 1, COMMUNICATE: 1 } },
    ...more,
  };
}

export function calls(call: { name: string; arguments: Fields }, by: 'assistant' | 'user' = 'assistant'): Fields {
  return { role: by, content: null, tool_calls: [{ id: 'c1', ...call, requestor: by }] };
}

export const tau1 = (more?: Fields): RecordedRun => readRow(tau1Row(more), 'test:1');
export const tau2 = (more?: Fields): RecordedRun => readRow(tau2Row(more), 'test:1');
