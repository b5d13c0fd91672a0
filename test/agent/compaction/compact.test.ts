/** The ways a compaction can go in the agent: edits alone, parts, another model, a count near the limit; T21 and T26. */
import type { CallRecord } from '../../../src/transcript/call-record.ts';
import { describe, expect, test } from 'vitest';
import { createRequestFitter, type FitterOptions } from '../../../src/agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../../../src/agent/definition.ts';
import { createAgentConversation, type AgentConversation } from '../../../src/agent/agent-conversation.ts';
import { HarnessError } from '../../../src/errors.ts';
import type { ProgressEvent } from '../../../src/ports/progress.ts';
import { getText, type Message } from '../../../src/transcript/message.ts';
import { answerFor, compactBy, smallCore, type PolicyName } from '../../support/policies.ts';
import { facts, response, say } from '../../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../../support/scripted-model.ts';
import { busyLog, createLog, type Log } from '../../support/transcripts.ts';

const live = new AbortController().signal;
const FACTS = { window: 40_000, maxOutput: 4000 };
const TOOLS = [{ name: 'read', description: 'reads', input_schema: { type: 'object' as const } }];

function setUp(
  name: PolicyName,
  answers: readonly ScriptedAnswer[],
  changes: Parameters<typeof smallCore>[1] = {},
  more: Partial<FitterOptions> = {},
) {
  const { policy, prompts, fields } = smallCore(name, changes);
  const agent: LoadedAgent = {
    definition: {
      ...{
        version: 1,
        name: 'tester',
        model: 'test-model',
        max_tokens: 4000,
        max_steps: 9,
        reminders: 0,
        tools: ['read'],
      },
      context: { policy: name, trigger: { tokens: 20_000 }, keep_steps: 3 },
    },
    systemPrompt: 'You test.',
    ...{ policy, prompts, fields },
  };
  const model = scriptedModel(answers);
  const events: ProgressEvent[] = [];
  const options = {
    agent,
    facts: facts(FACTS),
    tools: TOOLS,
    model,
    progress: (event: ProgressEvent) => void events.push(event),
  };
  const fitter = createRequestFitter({ ...options, ...more });
  return {
    model,
    events,
    fit: (session: AgentConversation, force = false) => fitter.fit(session, force, live),
    core: smallCore(name, changes),
    context: fitter.context,
  };
}

function sessionOf({ entries }: Log): AgentConversation {
  return createAgentConversation({ entries, step: 's', onAppend: () => Promise.resolve() });
}
const good = (name: PolicyName, lines: string[]) => response(answerFor(smallCore(name), lines).content, 'end_turn');
const kinds = (session: AgentConversation) => session.entries.slice(-3).map(({ type }) => type);

test('a policy that only edits asks no model, and says what it did', async () => {
  const log = busyLog(3, 400);
  for (let n = 0; n < 12; n += 1) {
    log.human(`question ${n}`);
    log.step([{ result: 'r '.repeat(900) }]);
    log.says('done');
  }
  log.human('and now?');
  const session = sessionOf(log);
  const { fit, model, events } = setUp('budgeted', [], { trigger: { tokens: 12_000 } });
  const { request } = await fit(session);
  expect(model.requests).toHaveLength(0);
  expect(session.entries.at(-1)).toMatchObject({
    type: 'compaction',
    place: 'none',
    receipt: { reason: 'threshold', policy: 'budgeted' },
  });
  expect(JSON.stringify(request.messages)).toContain('This result has left the context');
  expect(events.map((event) => (event.type === 'compaction' ? event.outcome : event.type))).toEqual([
    'started',
    'accepted',
  ]);
});

test('T23: a span that fits no request is summarised in parts, each shown what the one before found', async () => {
  const log = busyLog(3, 600);
  for (let n = 0; n < 5; n += 1)
    log.step([{ tool: 'write', input: { file_path: `f${n}`, content: `text ${n} `.repeat(12_000) }, result: 'ok' }]);
  const session = sessionOf(log);
  const part = (n: number) => good('two-agent', [`part ${n} [#e3]`]);
  const { fit, model } = setUp('two-agent', [part(1), part(2), part(3), part(4), part(5), part(6)]);
  await fit(session);
  expect(model.requests.length).toBeGreaterThan(1);
  for (const { messages, tools } of model.requests) {
    expect(messages).toHaveLength(1);
    expect(tools).toEqual([]);
  }
  expect(getText(model.requests[1]?.messages[0] as Message)).toContain('part 1 [#e3]');
  expect(session.entries.at(-1)).toMatchObject({ type: 'compaction', receipt: { stepsKept: 0 } });
});

test('T23: a part that cannot be read counts as a refusal, and the fallback follows where it is urgent', async () => {
  const log = busyLog(3, 600);
  for (let n = 0; n < 5; n += 1)
    log.step([{ tool: 'write', input: { file_path: `f${n}`, content: `text ${n} `.repeat(12_000) }, result: 'ok' }]);
  const session = sessionOf(log);
  const { fit } = setUp(
    'two-agent',
    Array.from({ length: 9 }, () => say('no summary')),
  );
  await fit(session);
  const types = session.entries.map(({ type }) => type);
  expect(types).toContain('compaction_refused');
  expect(session.entries.at(-1)).toMatchObject({ type: 'compaction', receipt: { reason: 'fallback:schema' } });
});

test('another model writes the summary in a session of its own, at its own price (S1.13)', async () => {
  const summarizer = scriptedModel([good('two-agent', ['the tax rule is odd [#e3]'])]);
  const cheap = facts({
    id: 'cheap',
    window: 40_000,
    price: { input: 0.1, output: 0.5, cacheWrite: 0.125, cacheRead: 0.01 },
  });
  const session = sessionOf(busyLog(14));
  const { fit, model } = setUp('two-agent', [], {}, { summarizer: { model: summarizer, facts: cheap } });
  await fit(session);
  expect(model.requests).toHaveLength(0);
  expect(summarizer.requests[0]).toMatchObject({ model: 'cheap', tools: [] });
  expect(getText(summarizer.requests[0]?.messages[0] as Message)).toMatch(/<transcript_lines>[\s\S]*src\/file-3\.ts/);
  const entry = session.entries.at(-1);
  expect(entry?.type === 'compaction' && entry.receipt.costUsd).toBeCloseTo((100 * 0.1 + 10 * 0.5) / 1_000_000, 12);
});

describe('near a limit the API is asked to count (S0.6)', () => {
  const near = () => sessionOf(busyLog(10, 2600));
  const counting = (counted: number, answers: readonly ScriptedAnswer[]) => {
    const base = scriptedModel(answers);
    let asked = 0;
    const model = { ...base, countTokens: () => ((asked += 1), Promise.resolve(counted)) };
    return { ...setUp('two-agent', [], {}, { model }), asked: () => asked, base };
  };

  test('and its count decides, not the estimate', async () => {
    const session = near();
    const { fit, asked } = counting(12_000, []);
    expect((await fit(session)).contextTokens).toBe(12_000);
    expect(asked()).toBe(1);
    expect(session.entries.some(({ type }) => type === 'compaction')).toBe(false);
    const { fit: fuller, base } = counting(25_000, [good('two-agent', ['x [#e3]'])]);
    await fuller(near());
    expect(base.requests).toHaveLength(1);
  });

  test('far from it nobody is asked; a count that cannot be had changes nothing', async () => {
    const { fit, asked } = counting(1, []);
    await fit(sessionOf(busyLog(2)));
    expect(asked()).toBe(0);
    const failing = {
      ...scriptedModel([]),
      countTokens: () => Promise.reject(new HarnessError('model_unavailable', 'down')),
    };
    const { fit: stubborn } = setUp('two-agent', [], { trigger: { tokens: 21_000 } }, { model: failing });
    const session = sessionOf(busyLog(9, 2400));
    await stubborn(session);
    expect(session.entries.every(({ type }) => type === 'message')).toBe(true);
  });
});

test('T21: the tools are the same after a compaction as before', async () => {
  const session = sessionOf(busyLog(14));
  const { fit, model } = setUp('two-agent', [good('two-agent', ['x [#e3]'])]);
  const { request } = await fit(session);
  expect(request.tools.map(({ name }) => name)).toEqual(['read']);
  expect(request.tools).toEqual(model.requests[0]?.tools);
  expect(request.system).toEqual(model.requests[0]?.system);
});

test.each([
  ['a rate limit', new HarnessError('model_unavailable', '429 rate_limit_error', { retryable: true }), 'transport'],
  ['a 400', new HarnessError('model_refused', '400 invalid_request_error'), 'model_refused'],
])(
  'T26: %s of the summary call is told by its name, and neither becomes a summary nor another compaction',
  async (_, error, cause) => {
    const session = sessionOf(busyLog(14));
    const { fit, model } = setUp('two-agent', [error]);
    await fit(session);
    expect(model.requests).toHaveLength(1);
    expect(kinds(session).at(-1)).toBe('compaction_refused');
    expect(session.entries.at(-1)).toMatchObject({ cause });
  },
);

test('a policy may ask the API to drop what it cannot check: then kept thinking goes back as it is (T5)', async () => {
  const session = sessionOf(busyLog(14));
  const { fit } = setUp('two-agent', [good('two-agent', ['x [#e3]'])], { thinking: 'drop_block' });
  const { request } = await fit(session);
  expect(request.thinking).toEqual({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } });
  expect(request.betas).toEqual(['thinking-binding-controls-2026-08-01']);
  expect(JSON.stringify(request.messages)).toContain('signature');
});

describe('a cold cache (T28)', () => {
  /** Between the target and the trigger of 20 000. */
  const half = () => sessionOf(busyLog(9, 1500));

  test('within hysteresis it waits while the cache is warm, and compacts when a gate was answered days later', async () => {
    const warm = half();
    await setUp('two-agent', [], {}, { moment: () => ({ cacheCold: false }) }).fit(warm);
    expect(kinds(warm)).not.toContain('compaction');

    const cold = half();
    const { fit, model } = setUp(
      'two-agent',
      [good('two-agent', ['half is done [#e1]'])],
      {},
      { moment: () => ({ cacheCold: true }) },
    );
    await fit(cold);
    expect(model.requests).toHaveLength(1);
    expect(cold.entries.at(-1)).toMatchObject({
      type: 'compaction',
      receipt: { reason: 'cold', economics: { cold: true, breakEvenCalls: expect.any(Number) as number } },
    });
  });

  test('under the target nothing is gained by it', async () => {
    const small = sessionOf(busyLog(3, 1500));
    const { fit, model } = setUp('two-agent', [], {}, { moment: () => ({ cacheCold: true }) });
    await fit(small);
    expect([model.requests.length, kinds(small)]).toEqual([0, ['message', 'message', 'message']]);
  });
});

describe('what people want to know of it', () => {
  const logged = () => {
    const records: CallRecord[] = [];
    const write = async (one: CallRecord) => void records.push(one);
    return { records, calls: { step: 'design.r1', now: () => new Date('2026-11-23T01:00:00Z'), write } };
  };

  test('a call is on record before it is made, with the compaction before it, and how long that took (S4.6)', async () => {
    const session = sessionOf(busyLog(12, 2500));
    const { records, calls } = logged();
    const summary = { ...good('two-agent', ['x [#e1]']), ms: 3500 };
    const fitted = await setUp('two-agent', [summary], {}, { calls }).fit(session);
    expect(records.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['design.r1.main.summary.0001', undefined],
      ['design.r1.main.summary.0001', 'answered'],
    ]);
    const record = await fitted.open?.();
    expect(records.at(-1)).toMatchObject({
      ...{ id: 'design.r1.main.0001', purpose: 'answer', at: '2026-11-23T01:00:00.000Z', step: 'design.r1' },
      ...{ limit: { policy: 'two-agent', window: 40_000, trigger: 20_000 }, decisions: [] },
      rewrites: [{ entry: session.entries.at(-1)?.id, ms: 3500 }],
    });
    await record?.failed(new HarnessError('model_unavailable', 'gone'));
    expect(records.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'model_unavailable', message: 'gone' } });
    expect(JSON.stringify(session.entries)).not.toContain('3500');
  });

  test('a request that could not be made is on record with every attempt (S4.5, S4.6)', async () => {
    const log = createLog();
    log.human('word '.repeat(30_000));
    for (let n = 0; n < 4; n += 1) log.step([{ result: 'r '.repeat(1500) }]);
    const { records, calls } = logged();
    const { fit } = setUp('two-agent', [], { facts: { task: 31_000 } }, { calls });
    await expect(fit(sessionOf(log))).rejects.toMatchObject({ code: 'context_overflow' });
    const [record, ...more] = records;
    expect([record?.outcome, record?.error?.code, more]).toEqual(['not_sent', 'context_overflow', []]);
    expect(record?.decisions.length).toBeGreaterThan(3);
    for (const decision of record?.decisions ?? [])
      expect(decision).toMatchObject({ taken: false, why: expect.any(String) });
  });

  test('the fitter says by which policy and numbers it works', () => {
    expect(setUp('layered', []).context).toEqual({
      policy: 'layered',
      window: 40_000,
      trigger: 20_000,
      target: 12_000,
      hard: 36_000,
      header: expect.stringMatching(/^[0-9a-f]{16}$/),
      model: 'test-model',
      tools: ['read'],
    });
  });
});

test('the header is another with another model, another prompt or other tools, and only then (T5)', () => {
  const headerOf = (more: Partial<FitterOptions> = {}) => setUp('two-agent', [], {}, more).context?.header;
  const other = { name: 'write', description: 'writes', input_schema: { type: 'object' as const } };
  const headers = [
    headerOf(),
    headerOf({ tools: [...TOOLS, other] }),
    headerOf({ facts: facts({ ...FACTS, id: 'another-model' }) }),
  ];
  expect(new Set(headers).size).toBe(3);
  expect(headerOf()).toBe(headers[0]);
  expect(headerOf({ facts: facts({ ...FACTS, window: 50_000 }) })).toBe(headers[0]);
});

test.each([
  ['transport', true],
  ['timeout', true],
  ['server_empty', false],
])('after server:%s in three compactions the API is asked for its own summary again: %s', async (cause, asked) => {
  const log = busyLog(1);
  for (let round = 0; round < 4; round += 1) {
    for (let n = 0; n < 9; n += 1) log.step([{ result: 'r '.repeat(2000) }]);
    if (round === 3) break;
    log.append({ type: 'compaction_refused', cause: `server:${cause}`, detail: 'x' });
    expect(compactBy(log, smallCore('two-agent'), ['x [#e1]']).accepted).toMatchObject({ ok: true });
  }
  const { fit, model } = setUp('native', [good('native', ['x [#e1]']), good('native', ['x [#e1]'])]);
  await fit(sessionOf(log));
  expect(model.requests.map(({ compaction }) => compaction !== undefined)).toEqual(asked ? [true, false] : [false]);
});

test('a cold moment that brings nothing passes, although no model is asked any more and code finds nothing to spare (T28)', async () => {
  const log = createLog();
  log.human('word '.repeat(4000));
  log.step([{ result: 'r' }]);
  for (let n = 0; n < 3; n += 1) log.append({ type: 'compaction_refused', cause: 'schema', detail: 'x' });
  const changes = { target: { ratio: 0.95 }, trigger: { cold: 0.3 }, facts: { task: 9000, firstTask: 9000 } };
  const { fit, model } = setUp('two-agent', [], changes, { moment: () => ({ cacheCold: true }) });
  const session = sessionOf(log);
  const { request } = await fit(session);
  expect(model.requests).toHaveLength(0);
  expect(session.entries.at(-1)).toMatchObject({ type: 'compaction_refused', cause: 'not_smaller' });
  expect(request.messages).toHaveLength(3);
});
