/** Each rule of the API, shown to refuse a bad request and to pass a good one (docs/internals/api-rules.md §9). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BODY_RULES } from '../../../../src/adapters/simulated/rules/body-rules.ts';
import { HTTP_RULES } from '../../../../src/adapters/simulated/rules/http-rules.ts';
import { RULES } from '../../../../src/adapters/simulated/rules/rules.ts';
import { startSimulator, type Simulator } from '../../../../src/adapters/simulated/start.ts';
import { WIRE_ROWS } from '../rows/wire.ts';
import { ORDER_ROWS } from '../rows/order.ts';
import { PAIRS_ROWS } from '../rows/pairs.ts';
import { TOOLS_ROWS } from '../rows/tools.ts';
import { MODELS_ROWS } from '../rows/models.ts';
import { COMPACTION_ROWS } from '../rows/compactions.ts';
import { IMAGES_ROWS } from '../rows/images.ts';
import { SIZES_ROWS } from '../rows/sizes.ts';
import type { Row } from '../rows/row.ts';
import { BASE, post, TESTER } from '../wire.ts';

const ROWS: Row[] = [
  ...WIRE_ROWS,
  ...ORDER_ROWS,
  ...PAIRS_ROWS,
  ...TOOLS_ROWS,
  ...MODELS_ROWS,
  ...IMAGES_ROWS,
  ...SIZES_ROWS,
  ...COMPACTION_ROWS,
];

/** These need a conversation that was really held: thinking.test.ts. */
const ELSEWHERE = [
  'thinking_kept_in_open_loop',
  'thinking_all_or_none',
  'thinking_prefix',
  'thinking_opens_with_enabled',
];

describe('the rules of the Messages API', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({
      simulationDir: undefined,
      scripts: [TESTER],
      now: () => new Date('2026-11-20T12:00:00Z'),
    });
  });
  afterAll(() => simulator.close());

  test.each(ROWS)('$rule refuses: $case', async ({ rule, bad, status = 400, says = '' }) => {
    const got = await post(simulator, bad.body ?? BASE, bad.sent);
    expect(got.record?.rule).toBe(rule);
    expect(got.status).toBe(status);
    expect(got.body).toMatchObject({
      type: 'error',
      error: { type: expect.any(String) },
      request_id: got.headers.get('request-id'),
    });
    expect(got.record?.refusal).toContain(says);
  });

  test.each(ROWS)('$rule passes the opposite of: $case', async ({ good }) => {
    const got = await post(simulator, good.body ?? BASE, good.sent);
    expect(got.record?.refusal).toBeUndefined();
    expect(got.status).toBe(200);
    expect(got.headers.get('tandem-simulator')).toBe('1');
  });

  test('every rule is in the table, or named as standing elsewhere', () => {
    const ids = [HTTP_RULES, BODY_RULES, RULES].flatMap(Object.keys);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !ROWS.some(({ rule }) => rule === id)).toSorted()).toEqual(ELSEWHERE.toSorted());
  });

  test('counting tokens checks the same, and takes nothing that is for answering only', async () => {
    const { max_tokens: _, ...counted } = BASE;
    const path = '/v1/messages/count_tokens';
    expect(await post(simulator, counted, { path })).toMatchObject({
      status: 200,
      body: { input_tokens: expect.any(Number) },
    });
    expect((await post(simulator, BASE, { path })).record).toMatchObject({
      rule: 'body_shape',
      refusal: 'max_tokens: Extra inputs are not permitted',
    });
    expect((await post(simulator, { ...counted, messages: [] }, { path })).record?.rule).toBe('messages_present');
    expect((await post(simulator, { ...counted, temperature: 0 }, { path })).record?.rule).toBe('sampling_removed');
    const long = { ...counted, model: 'claude-haiku-4-5', system: 'x'.repeat(700_000) };
    expect((await post(simulator, long, { path })).body['input_tokens']).toBeGreaterThan(200_000);
  });
});
