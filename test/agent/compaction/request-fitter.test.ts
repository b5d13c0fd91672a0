import { describe, expect, test } from 'vitest';
import { createRequestFitter, withModelPrices } from '../../../src/agent/compaction/request-fitter.ts';
import { Trigger, withTrigger, type LoadedAgent } from '../../../src/agent/definition.ts';
import { createAgentConversation, type AgentConversation } from '../../../src/agent/agent-conversation.ts';
import { findHome } from '../../../src/config/home.ts';
import { loadAgent } from '../../../src/config/load-agent.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { HarnessError } from '../../../src/errors.ts';
import type { ProgressEvent } from '../../../src/ports/progress.ts';
import type { ModelFacts } from '../../../src/ports/model.ts';
import { createUserMessage } from '../../../src/transcript/message.ts';
import { facts, response, say } from '../../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../../support/scripted-model.ts';

const live = new AbortController().signal;
const home = findHome('.');
const demo = await loadConfig(home, { profile: 'demo' });
const agent: LoadedAgent = await loadAgent(home, 'execute', demo);

const SUMMARY = {
  generated_components: { tools: ['a [#e1]'], checkers: [], samples: 'none' },
  evaluation_progress: { current_iteration: '1', success_rate: 'not evaluated yet', layer_status: 'open' },
  identified_issues: { layer2_problems: [], layer3_problems: [], fix_attempts: [] },
  pending_work: ['write the checkers'],
  key_paths: { execution_output_dir: 'execution_outputs/iteration_1' },
};
const good = say(`<compact_summary>${JSON.stringify(SUMMARY)}</compact_summary>`);

/** A task, then `steps` steps whose results are `words` words long. */
async function working(steps: number, words: number): Promise<AgentConversation> {
  const session = createAgentConversation({ entries: [], step: 'execute.i1', onAppend: () => Promise.resolve() });
  const task =
    '<init_to_execute_context execution_output_dir="execution_outputs/iteration_1">build</init_to_execute_context>';
  await session.append({ type: 'message', origin: 'harness', message: createUserMessage(task) });
  for (let step = 1; step <= steps; step += 1) {
    const id = `toolu_${step}`;
    await session.append({
      ...{ type: 'message', origin: 'model' },
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: `sig${step}` },
          { type: 'tool_use', id, name: 'read', input: { file_path: `f${step}.md` } },
        ],
      },
    });
    await session.append({
      ...{ type: 'message', origin: 'tools' },
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: `${'word '.repeat(words)}${step}`, is_error: false },
        ],
      },
    });
  }
  return session;
}

function fitter(answers: readonly ScriptedAnswer[], more: Partial<ModelFacts> = {}) {
  const model = scriptedModel(answers);
  const events: ProgressEvent[] = [];
  const made = createRequestFitter({
    agent,
    facts: facts({ window: 1_000_000, ...more }),
    tools: [{ name: 'read', description: 'reads', input_schema: { type: 'object' } }],
    model,
    progress: (event) => events.push(event),
  });
  return { fit: (session: AgentConversation, force = false) => made.fit(session, force, live), model, events };
}

describe('a session that passes the trigger', () => {
  test('is summarised by the suffix of the live request, and the latest steps stay word for word (S0.5, S0.7, S0.9)', async () => {
    const session = await working(40, 450);
    const { fit, model, events } = fitter([good]);
    const fitted = await fit(session);
    const [request] = model.requests;
    expect(request?.messages.at(-1)?.content[0]).toMatchObject({
      type: 'text',
      text: expect.stringMatching(/^<compaction_request>/),
    });
    expect(request?.messages).toHaveLength(82);
    expect(session.entries.at(-1)).toMatchObject({
      type: 'compaction',
      receipt: { stepsKept: 5, stepsSummarised: 35 },
    });
    const kept = fitted.request.messages.slice(3);
    expect(kept.map((message) => message.role)).toEqual(Array.from({ length: 5 }, () => ['assistant', 'user']).flat());
    expect(JSON.stringify(kept)).toContain('word 36');
    expect(JSON.stringify(kept)).not.toContain('thinking');
    expect(fitted.contextTokens).toBeLessThan(fitted.triggerTokens);
    expect(events.map((event) => (event.type === 'compaction' ? event.outcome : event.type))).toEqual([
      'started',
      'accepted',
    ]);
  });

  test('keeps the task and the paths by code, whatever the summary says (S0.20)', async () => {
    const session = await working(30, 700);
    const { request } = await fitter([good]).fit(session);
    const head = JSON.stringify(request.messages[0]);
    expect(head).toContain('<carried_task id=\\"e1\\">');
    expect(head).toContain('execution_outputs/iteration_1');
    expect(head).toContain('f30.md: read [#e61]');
  });

  test.each([
    ['empty', response([], 'end_turn')],
    ['stop_max_tokens', response([{ type: 'text', text: '<compact_summary>{' }], 'max_tokens')],
    ['tool_call', response([{ type: 'tool_use', id: 'x', name: 'read', input: {} }], 'tool_use')],
    ['schema', say('I have done a lot.')],
    [
      'unknown_citation',
      say(`<compact_summary>${JSON.stringify({ ...SUMMARY, pending_work: ['x [#e999]'] })}</compact_summary>`),
    ],
  ])('refuses a summary for %s; the view stays as it was and the refusal is on record (S0.13)', async (cause, bad) => {
    const session = await working(30, 700);
    const before = session.entries.length;
    const { fit, model } = fitter([bad, bad, bad, bad]);
    const { request } = await fit(session);
    expect(session.entries[before]).toMatchObject({ type: 'compaction_refused', cause });
    expect(session.entries.some((entry) => entry.type === 'compaction')).toBe(false);
    expect(request.messages).toHaveLength(61);
    expect(model.requests.length).toBeLessThanOrEqual(2);
  });

  test('a refused summary is repaired once, and the model is told what was wrong (S0.12)', async () => {
    const session = await working(30, 700);
    const { fit, model } = fitter([say('no tags'), good]);
    await fit(session);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('was not accepted');
    expect(session.entries.slice(-2).map((entry) => entry.type)).toEqual(['compaction_refused', 'compaction']);
  });

  test('a model that cannot be reached is counted like any other failure; the breaker ends the tries (T4, S0.22)', async () => {
    const session = await working(30, 700);
    const down = new HarnessError('model_unavailable', '529 overloaded', { retryable: true });
    const { fit, model } = fitter([down, down, down, down, down]);
    for (let call = 0; call < 5; call += 1) await fit(session);
    expect(model.requests).toHaveLength(3);
    expect(session.entries.filter((entry) => entry.type === 'compaction_refused')).toMatchObject([
      { cause: 'transport' },
      { cause: 'transport' },
      { cause: 'transport' },
    ]);
    expect(session.entries.at(-1)).toMatchObject({ type: 'compaction', receipt: { reason: 'fallback:transport' } });
    expect(JSON.stringify(session.entries.at(-1))).not.toContain('overloaded');
  });

  test('money and takeover are not the model: they stop the step (T26)', async () => {
    const session = await working(30, 700);
    const { fit } = fitter([new HarnessError('budget_exceeded', 'cap')]);
    await expect(fit(session)).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(session.entries.some((entry) => entry.type === 'compaction_refused')).toBe(false);
  });
});

test('a summary that names a path which Read cannot open is repaired, and the model is told which (S0.17)', async () => {
  const session = await working(30, 700);
  const model = scriptedModel([good, good]);
  const asked: string[] = [];
  const made = createRequestFitter({
    agent,
    facts: facts({ window: 1_000_000 }),
    tools: [{ name: 'read', description: 'reads', input_schema: { type: 'object' } }],
    model,
    progress: () => undefined,
    // The folder is there from the second time on.
    readable: async (path) => asked.push(path) > 1,
  });
  await made.fit(session, false, live);
  expect(asked).toEqual(['execution_outputs/iteration_1', 'execution_outputs/iteration_1']);
  expect(session.entries.slice(-2)).toMatchObject([
    { type: 'compaction_refused', cause: 'key_path_unreadable' },
    { type: 'compaction' },
  ]);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('names execution_outputs/iteration_1');
});

test('a session under the trigger is sent as it is, and only then costs nothing', async () => {
  const session = await working(3, 50);
  const { fit, model } = fitter([]);
  expect((await fit(session)).request.messages).toHaveLength(7);
  expect(model.requests).toHaveLength(0);
});

test('a window that could never hold the agent is refused before the first call (S0.22, T1)', () => {
  expect(() => fitter([], { window: 24_000 })).toThrow(expect.objectContaining({ code: 'context_overflow' }));
});

test('force compacts below the trigger, for a window that the API found full', async () => {
  const session = await working(12, 700);
  const { fit } = fitter([good]);
  await fit(session, true);
  expect(session.entries.at(-1)).toMatchObject({ type: 'compaction', receipt: { reason: 'window' } });
});

test('with `trigger: auto` the prices of the model count, and an agent may say so in its own file', () => {
  const cheap = withModelPrices(agent.policy, { price: { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 } });
  expect(cheap.economics).toMatchObject({ write: 1.25, read: 0.05, output: 5 });
  expect(withModelPrices(agent.policy, {})).toBe(agent.policy);
  expect(withTrigger(agent.policy.trigger, 'auto')).toEqual({ ...agent.policy.trigger, auto: true });
  expect(Trigger.parse({ ratio: 0.5, auto: true })).toEqual({ ratio: 0.5, auto: true });
});
