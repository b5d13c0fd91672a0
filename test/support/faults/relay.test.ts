/** The relay with faults: what a client gets, what the server behind counts, and that every row of the tables can be played. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FAULT_KINDS, FAULTS, createFaultChoice, parseFaultRate } from './choose-fault.ts';
import { startFaultRelay, type FaultRelay, type RelayOptions } from './relay.ts';
import { createAnthropicModel } from '../../../src/adapters/anthropic/anthropic-model.ts';
import { startSimulator, type Simulator } from '../../../src/adapters/simulated/start.ts';
import { ANSWERS, ERRORS, getErrorMeaning } from '../../../src/ports/answer-meaning.ts';
import type { Model, ModelRequest, OutgoingMessage } from '../../../src/ports/model.ts';
import { createUserMessage, type Block } from '../../../src/transcript/message.ts';

const { signal } = new AbortController();

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({
    simulationDir: undefined,
    scripts: [
      {
        version: 1,
        who: 'tester',
        match: { system_includes: 'tester' },
        turns: [
          {
            name: 'only',
            marker: 'go',
            steps: [
              { think: 'First I read.', say: 'I read.', calls: [{ tool: 'read', input: { file_path: 'a/b.txt' } }] },
              { say: 'Done.' },
            ],
          },
        ],
      },
    ],
  });
});

afterAll(() => simulator.close());

async function relayed(
  faults: string[],
  more: Partial<RelayOptions> = {},
): Promise<{ relay: FaultRelay; model: Model }> {
  const rates = faults.flatMap((text) => parseFaultRate(text) ?? []);
  const relay = await startFaultRelay({ upstream: simulator.url, faults: rates, seed: 1, ...more });
  onTestFinished(() => relay.close());
  // Only a call that must end by its time limit has a short one: a busy machine takes its time over every other.
  const timeoutMs = OUTCOMES[faults[0] ?? ''] === 'model_unavailable' ? 300 : 30_000;
  const model = createAnthropicModel({
    ...{ baseUrl: relay.url, apiKey: 'offline', timeoutMs },
    retry: { tries: 1, minDelayMs: 1, maxDelayMs: 1 },
  });
  return { relay, model };
}

function request(...messages: OutgoingMessage[]): ModelRequest {
  return {
    model: 'claude-opus-5-5',
    max_tokens: 1000,
    system: [{ type: 'text', text: 'tester' }],
    tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } }],
    messages: [createUserMessage('go'), ...messages],
  };
}

/** The next request of the same conversation. */
function answered(content: Block[]): ModelRequest {
  const results = content.flatMap((block): Block[] =>
    block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'ok' }] : [],
  );
  return request({ role: 'assistant', content }, { role: 'user', content: results });
}

test('without faults everything passes, and the usage of the server is in the record', async () => {
  const { model, relay } = await relayed([]);
  const first = await model.call(request(), signal);
  expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
  expect(await model.call(answered(first.content), signal)).toMatchObject({ stopReason: 'end_turn' });
  expect(relay.records).toMatchObject([
    { status: 200, usage: { output_tokens: first.usage.output_tokens } },
    { status: 200 },
  ]);
  expect(relay.records[0]).not.toHaveProperty('fault');
});

/** What our own client makes of each kind: the code of its error, or the stop reason of the answer. */
const OUTCOMES: Record<string, string> = {
  ...Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 'model_unavailable'])),
  ...Object.fromEntries(
    FAULT_KINDS.filter((kind) => /^4(?!08|09|29)/.test(kind)).map((kind) => [kind, 'model_refused']),
  ),
  ...{ '429_spend': 'model_refused', models_404: 'tool_use', models_500: 'tool_use', pings: 'hangs' },
  ...{ late: 'tool_use', bytes: 'tool_use', comments: 'tool_use', duplicate_id: 'tool_use' },
  ...{ refusal: 'refusal', empty: 'end_turn', max_tokens: 'max_tokens', pause_turn: 'pause_turn' },
  ...{ window: 'model_context_window_exceeded', new_stop: 'future_stop_reason', new_field: 'tool_use' },
  ...{ new_block: 'tool_use', blank_text: 'tool_use', null_usage: 'tool_use', no_usage: 'tool_use' },
};

test.each(FAULT_KINDS.filter((kind) => OUTCOMES[kind] !== 'hangs'))('%s is played', async (kind) => {
  const { model, relay } = await relayed([kind]);
  const outcome = await model.call(request(), signal).then(
    ({ stopReason }) => stopReason,
    (error: { code: string }) => error.code,
  );
  expect(outcome).toBe(OUTCOMES[kind]);
  const fault = FAULTS[kind];
  // A call that breaks off is over for its client first.
  await expect.poll(() => relay.records.length, { timeout: 15_000 }).toBe(1);
  expect(relay.records[0]?.usage === undefined).toBe(fault !== undefined && ('instead' in fault || 'lost' in fault));
});

test('every row of the errors and answers can be played, and means what its row says', () => {
  const errors = Object.values(FAULTS).flatMap((fault) => {
    if (!('instead' in fault) || typeof fault.instead.body === 'string') return [];
    const error = fault.instead.body['error'] as { type: string; message: string; details?: { error_code: string } };
    const { type, message, details } = error;
    const { status } = fault.instead;
    return [getErrorMeaning({ status, type, message, ...(details && { code: details.error_code }) })];
  });
  expect(ERRORS.filter((row) => !errors.includes(row))).toEqual([]);
  const reasons = new Set(['end_turn', 'tool_use', 'stop_sequence', 'compaction', ...Object.values(OUTCOMES)]);
  expect(Object.keys(ANSWERS).filter((reason) => !reasons.has(reason))).toEqual([]);
});

test('fields and blocks that are new to the client must come back as they were', async () => {
  const { model, relay } = await relayed(['new_field:0.5', 'new_block:0.5'], { seed: 4 });
  const first = await model.call(request(), signal);
  await model.call(answered(first.content), signal);
  const stripped = first.content.map((block) => {
    if (block.type === 'unknown') return { ...block, wire: { ...block.wire, note: 'other' } };
    const { type, ...rest } = { ...block, future_field: undefined };
    return { type, ...rest } as Block;
  });
  await expect(model.call(answered(stripped), signal)).rejects.toThrow(/future_field|the block was changed/);
  expect(relay.records.map(({ status }) => status)).toEqual([200, 200, 400]);
});

test('chance follows from the seed and the request alone; a request that comes again draws again', () => {
  const rates = [
    { kind: 'cut', rate: 0.2 },
    { kind: '529', rate: 0.1 },
  ];
  const bodies = Array.from({ length: 400 }, (_, place) => `request ${place % 200}`);
  const drawn = (seed: number, order: readonly string[]) => {
    const choose = createFaultChoice(rates, seed);
    const each = order.map((body) => `${body} ${choose(body) ?? 'none'}`);
    return { sorted: each.toSorted(), cut: each.filter((text) => text.endsWith('cut')).length };
  };
  expect(drawn(7, bodies.toReversed()).sorted).toEqual(drawn(7, bodies).sorted);
  expect(drawn(8, bodies).sorted).not.toEqual(drawn(7, bodies).sorted);
  expect(drawn(7, bodies).cut).toBeGreaterThan(55);
  expect(drawn(7, bodies).cut).toBeLessThan(105);
});

test.each([
  ['cut', { kind: 'cut', rate: 1 }],
  ['429_ms:0.05', { kind: '429_ms', rate: 0.05 }],
  ['cut:0', undefined],
  ['cut:1.5', undefined],
  ['nonsense', undefined],
  ['toString', undefined],
])('%s is read', (text, rate) => {
  expect(parseFaultRate(text)).toEqual(rate);
});

test('an answer that is not streamed is changed and torn as well', async () => {
  const { relay } = await relayed(['refusal:0.5', 'cut_half:0.5'], { seed: 2 });
  const outcomes = new Set<string>();
  for (let place = 0; place < 12; place += 1) {
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'any', 'anthropic-version': '2026-10-21' },
      body: JSON.stringify({ ...request(), max_tokens: 1000 + place }),
    });
    outcomes.add(
      await response.json().then(
        (body) => (body as { stop_reason: string }).stop_reason,
        () => 'torn',
      ),
    );
  }
  expect([...outcomes].toSorted()).toEqual(['refusal', 'torn']);
});

test('the page about the simulator lists every kind', async () => {
  const page = await readFile('docs/internals/simulation.md', 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z0-9_]+)` \| (.*) \| (?:yes|no) \|$/gm)].map(([, kind, says]) => [
    kind,
    says,
  ]);
  expect(listed).toEqual(Object.entries(FAULTS).map(([kind, { says }]) => [kind, says]));
});
