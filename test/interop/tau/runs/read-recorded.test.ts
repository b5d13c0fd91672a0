import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { rejudge } from '../../../../src/interop/tau/runs/rejudge.ts';
import { readRecorded } from '../../../support/recordings.ts';
import { scratch } from '../../../support/scratch.ts';
import { calls, criteria, tau1Row, tau2Row } from '../../rows.ts';

async function read(content: string | Buffer): ReturnType<typeof readRecorded> {
  const path = join(await scratch(), 'recorded');
  await writeFile(path, content);
  return readRecorded(path, 'recorded');
}

const lines = (...rows: unknown[]) =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');

test('rows are read plain and gzipped, of both benchmarks', async () => {
  const text = lines(tau1Row(), '', tau2Row());
  for (const content of [text, gzipSync(text)]) {
    const { runs, faults } = await read(content);
    expect(runs.map(({ dialect, at }) => [dialect, at])).toEqual([
      ['tau1', 'recorded:1'],
      ['tau2', 'recorded:3'],
    ]);
    expect(faults).toEqual([]);
  }
});

describe('bad input', () => {
  test('a row that cannot be read is told with its line, and the others are judged', async () => {
    const deep = `{"gold_actions":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const polluted = JSON.stringify(tau1Row()).replace('"domain"', '"__proto__":{"pass":1},"domain"');
    const file = await read(lines(tau1Row(), '{"half":', tau1Row({ messages: 7 }), '[1]', { a: 1 }, deep, polluted));
    expect(file.runs).toHaveLength(1);
    expect(file.faults.map(({ at }) => at)).toEqual([2, 3, 4, 5, 6, 7].map((line) => `recorded:${line}`));
    expect(file.faults[1]?.message).toContain('/messages');
    const set = rejudge('recorded', file);
    expect(set).toMatchObject({ n: 7, agreed: 1 });
    expect(set.refused.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'unreadable'));
  });

  test.each([
    ['an empty file', '', 'it is empty'],
    ['no JSON', 'hello', 'no JSON object'],
    ['a cut gzip', gzipSync(lines(tau1Row())).subarray(0, 60), 'cut off'],
    ['bytes', Buffer.from([0, 1, 2, 255]), 'no JSON object'],
  ])('%s is refused in one sentence', async (_, content, says) => {
    await expect(read(content)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(says),
    });
  });

  test('a file that is not there is named', async () => {
    await expect(readRecorded('/nowhere/x', 'x')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('whole result files', () => {
  const record = (more = {}) => ({
    task_id: 3,
    trial: 1,
    reward: 1,
    info: {
      task: { user_id: 'u', instruction: 'Buy.', actions: [{ name: 'buy', kwargs: { item: 'i' } }], outputs: ['12'] },
      reward_info: { reward: 1, info: { r_outputs: 1, outputs: { '12': true } }, actions: [] },
    },
    traj: [
      { role: 'assistant', content: 'It is 12.' },
      { role: 'user', content: 'Bye ###STOP###' },
    ],
    ...more,
  });

  test('of tau-bench: words are judged, the verdict on the world is taken over and said to be', async () => {
    const file = await read(
      JSON.stringify([record(), record({ trial: 2, traj: [{ role: 'user', content: '###STOP###' }] })]),
    );
    const set = rejudge('f', file);
    expect(set.rows[0]).toMatchObject({
      reward: 1,
      agrees: true,
      carried: ['DB'],
      run: { taskId: '3', termination: 'stop' },
    });
    // Recorded as passed, yet the words were never said.
    expect(set.rows[1]).toMatchObject({ reward: 0, agrees: false });
  });

  const simulation = (more = {}) => ({
    id: 's',
    task_id: '0',
    trial: 0,
    termination_reason: 'user_stop',
    messages: [calls({ name: 'switch_on', arguments: { lamp: 'L1' } })],
    reward_info: {
      reward: 1,
      reward_breakdown: { DB: 1, COMMUNICATE: 1 },
      db_check: { db_match: true, db_reward: 1 },
      action_checks: [
        { action: { action_id: '0_0', name: 'switch_on', arguments: { lamp: 'L1' } }, action_match: true },
      ],
    },
    ...more,
  });
  const results = (...simulations: unknown[]) =>
    JSON.stringify({
      info: { git_commit: 'abc', agent_info: { llm: 'm' }, environment_info: { domain_name: 'lamps' } },
      tasks: [
        { id: '0', evaluation_criteria: criteria() },
        {
          id: '1',
          evaluation_criteria: criteria({ actions: [{ action_id: '1_0', name: 'switch_off', arguments: {} }] }),
        },
      ],
      simulations,
    });

  test('of tau2-bench: a simulation that names another task than it was judged against is refused', async () => {
    const set = rejudge(
      'f',
      await read(results(simulation(), simulation({ task_id: '1' }), simulation({ task_id: '7' }))),
    );
    expect(set).toMatchObject({ n: 3, agreed: 1, rows: [{ carried: ['DB'], run: { domain: 'lamps', model: 'm' } }] });
    expect(set.refused.map(({ code }) => code)).toEqual(['unreadable', 'other-task']);
    expect(set.refused[0]?.message).toContain('"7"');
  });
});
