import { describe, expect, test } from 'vitest';
import { attributeRecorded, toolFaultIn } from '../../../../src/interop/tau/runs/rejudge.ts';
import { judgeRecorded } from '../../../../src/interop/tau/runs/judge-recorded.ts';
import type { RecordedRun } from '../../../../src/interop/tau/runs/recorded-run.ts';
import { calls, tau2 } from '../../rows.ts';

const answering = (content: string, error = false, more = {}) =>
  tau2({
    messages: [
      calls({ name: 'get_price', arguments: {} }),
      { id: 'c1', role: 'tool', content, requestor: 'assistant', error },
    ],
    final_db_diff: [],
    ...more,
  });

function blame(run: RecordedRun): ReturnType<typeof attributeRecorded> {
  const judged = judgeRecorded(run);
  if (!judged.ok) throw new Error(judged.why);
  return attributeRecorded(run, judged);
}

describe('a fault of a tool', () => {
  test.each([
    ['Error: 503 Service Unavailable', false],
    ['503 Service Unavailable', true],
    ['Error: HTTP 502 Bad Gateway', false],
    ['Error: Too Many Requests', false],
    ['Error: connect ECONNREFUSED 10.0.0.1:80', false],
    ['Error: request timed out', false],
    ['Traceback (most recent call last):\n  File "x"', true],
  ])('is %j (marked as an error: %s)', (content, error) => {
    expect(toolFaultIn(answering(content, error))).toContain('message 2: get_price -> ');
  });

  test.each([
    ['503.20', false],
    ['{"status": 503, "reason": "Service Unavailable"}', false],
    ['Error: total price is 503', true],
    ['Error: user not found', true],
    ['The service timed out last week', false],
    ['500 points', false],
  ])('is not %j (marked as an error: %s): an answer, or what the subject asked for', (content, error) => {
    expect(toolFaultIn(answering(content, error))).toBeUndefined();
  });
});

describe('the layer of a failure', () => {
  test('is the tools’ when one was not there, else the subject’s', () => {
    expect(blame(answering('Error: 503 Service Unavailable'))).toMatchObject({
      layer: 2,
      why: [expect.stringContaining('503'), expect.stringContaining('/agent/lamps/L1/on')],
    });
    expect(blame(answering('12'))).toMatchObject({ layer: 4, why: [expect.stringContaining('/agent/lamps/L1/on')] });
  });

  test('is the sample’s when a changing gold call raises and the end is wrong; one that only reads is no cause', () => {
    const raises = (tool: string) => ({ gold_action_errors: [['0_1', tool, 'Not found']] });
    const run = answering('Error: 503 Service Unavailable', false, raises('return_items'));
    expect(blame(run)).toMatchObject({
      layer: 4,
      why: [expect.stringContaining('a gold call raises: return_items'), expect.any(String)],
    });
    expect(blame(answering('Error: 503 x', false, raises('find_user')))).toMatchObject({ layer: 2 });
  });
});
