import { describe, expect, test } from 'vitest';
import { runTurn, type RequestFitter, type TurnDeps } from '../../src/agent/loop.ts';
import { createAgentConversation, type AgentConversation } from '../../src/agent/agent-conversation.ts';
import { view } from '../../src/context/view/view.ts';
import { HarnessError } from '../../src/errors.ts';
import type { ProgressEvent } from '../../src/ports/progress.ts';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';
import { getText } from '../../src/transcript/message.ts';
import { call, facts, response, say } from '../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../support/scripted-model.ts';

const live = new AbortController().signal;
const TASK = { origin: 'harness', text: 'do it' } as const;

function setUp(answers: readonly ScriptedAnswer[], more: Partial<TurnDeps> = {}) {
  const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  const model = scriptedModel(answers);
  const forced: boolean[] = [];
  const fitter: RequestFitter = {
    fit: async ({ entries }, force) => {
      forced.push(force);
      const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
      return {
        request: { model: 'm', system: [], tools: [], messages, max_tokens: 10 },
        epoch: 'e0',
        contextTokens: 1,
        triggerTokens: 2,
      };
    },
  };
  const host: ToolHost = {
    definitions: [{ name: 'look', description: '', input_schema: { type: 'object' } }],
    call: async () => ({ content: 'seen', is_error: false }),
  };
  const events: ProgressEvent[] = [];
  const deps: TurnDeps = {
    agent: 'a',
    model,
    hosts: [host],
    fitter,
    maxSteps: 10,
    reminders: { cut: 'CUT', empty: 'EMPTY', thinking: 'THINKING', limit: '{{left}} of {{most}}' },
    progress: (event) => events.push(event),
    ...more,
  };
  return { session, model, deps, forced, events };
}

const refusedFor = (means: string) => new HarnessError('model_refused', `refused for ${means}`, { details: { means } });

const story = (session: AgentConversation): string[] =>
  session.entries.map((entry) =>
    entry.type === 'message'
      ? `${entry.origin}:${getText(entry.message) || entry.message.content[0]?.type}`
      : entry.type,
  );

describe('one turn', () => {
  test('runs tools until the agent ends its turn, every message in the transcript', async () => {
    const { session, deps, model } = setUp([call('look', {}), call('look', {}), say('done')]);
    expect(await runTurn(session, TASK, { ...deps, signal: live })).toBe('done');
    expect(session.entries[1]).toMatchObject({ response: { view: 'e0', estimated: 1 } });
    expect(story(session)).toEqual([
      'harness:do it',
      'model:tool_use',
      'tools:tool_result',
      'model:tool_use',
      'tools:tool_result',
      'model:done',
    ]);
    expect(model.requests).toHaveLength(3);
  });

  test('usage is kept with the epoch that it was measured on (S0.6)', async () => {
    const { session, deps } = setUp([say('done')]);
    await runTurn(session, TASK, { ...deps, signal: live });
    expect(session.entries[1]).toMatchObject({
      origin: 'model',
      response: { view: 'e0', stopReason: 'end_turn', usage: { input_tokens: 100 } },
    });
  });

  test('a cut or an empty answer gets a reminder, and its call is not run', async () => {
    const { session, deps } = setUp([
      response([{ type: 'tool_use', id: 't', name: 'look', input: {} }], 'max_tokens'),
      response([], 'end_turn'),
      say('done'),
    ]);
    await runTurn(session, TASK, { ...deps, signal: live });
    expect(story(session)).toEqual(['harness:do it', 'reminder:CUT', 'reminder:EMPTY', 'model:done']);
  });

  test('answers that bring nothing end the turn instead of looping', async () => {
    const { session, deps, model } = setUp(Array.from({ length: 10 }, () => response([], 'end_turn')));
    await expect(runTurn(session, TASK, { ...deps, signal: live })).rejects.toMatchObject({
      code: 'agent_stopped',
      message: expect.stringContaining('cut or empty'),
    });
    expect(model.requests).toHaveLength(4);
  });

  test('a full window forces a compaction before the next call', async () => {
    const { session, deps, forced } = setUp([
      response([{ type: 'text', text: 'half' }], 'model_context_window_exceeded'),
      say('done'),
    ]);
    await runTurn(session, TASK, { ...deps, signal: live });
    expect(forced).toEqual([false, true]);
    expect(story(session)).toEqual(['harness:do it', 'model:done']);
  });

  test('a request that is too long is sent once more after a compaction, and no third time', async () => {
    const tooLong = refusedFor('compact');
    const { session, deps, forced } = setUp([tooLong, say('done')]);
    await runTurn(session, TASK, { ...deps, signal: live });
    expect(forced).toEqual([false, true]);
    expect(story(session)).toEqual(['harness:do it', 'model:done']);
    const vain = setUp([tooLong, tooLong, say('never')]);
    await expect(runTurn(vain.session, TASK, { ...vain.deps, signal: live })).rejects.toThrow(/refused for compact/);
    expect(vain.model.requests).toHaveLength(2);
  });

  test('thinking that the API refuses is dropped once, and the transcript says so', async () => {
    const { session, deps } = setUp([call('look', {}), refusedFor('without_thinking'), say('done')]);
    await runTurn(session, TASK, { ...deps, signal: live });
    expect(story(session).slice(-2)).toEqual(['reminder:THINKING', 'model:done']);
    expect(session.entries.at(-2)).toMatchObject({ origin: 'reminder', dropsThinking: true });
  });

  test('after a refusal the fallback model goes on until the turn ends, by a request of its own', async () => {
    const other = scriptedModel([call('look', {}), say('done')]);
    const fallback = { model: other, facts: facts({ id: 'other', maxOutput: 5, thinking: 'adaptive' }) };
    const { session, deps, model } = setUp([response([], 'refusal'), say('own again')], { fallback });
    await runTurn(session, TASK, { ...deps, signal: live });
    expect(model.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(2);
    expect(other.requests[0]).toMatchObject({ model: 'other', max_tokens: 5, thinking: { type: 'adaptive' } });
    expect(session.entries[1]).toMatchObject({ origin: 'reminder', dropsThinking: true });
    await runTurn(session, { origin: 'human', text: 'more' }, { ...deps, signal: live });
    expect(model.requests).toHaveLength(2);
  });

  test('a refusal by both models stops with the words of the provider', async () => {
    const details = { category: 'cyber', explanation: 'About locks.' };
    const no = response([], 'refusal', { stopDetails: details });
    const fallback = { model: scriptedModel([no]), facts: facts({ id: 'other' }) };
    const { session, deps } = setUp([no], { fallback });
    await expect(runTurn(session, TASK, { ...deps, signal: live })).rejects.toThrow(/\(cyber\): About locks\./);
  });

  test('a refusal and the step limit are typed stops that keep the state (S3.11)', async () => {
    const refused = setUp([response([], 'refusal')]);
    await expect(runTurn(refused.session, TASK, { ...refused.deps, signal: live })).rejects.toMatchObject({
      code: 'agent_stopped',
    });
    const endless = setUp(
      Array.from({ length: 10 }, () => call('look', {})),
      { maxSteps: 2 },
    );
    await expect(runTurn(endless.session, TASK, { ...endless.deps, signal: live })).rejects.toThrow(
      /max_steps in agents\/a\/agent\.yaml/,
    );
    expect(endless.session.entries).toHaveLength(6);
  });

  test.each([
    ['is read by the last call alone', false, 'call'],
    ['stays where thinking is bound to what was said', true, undefined],
  ])('what is left is said near the limit, and %s (S2.7, S3.11)', async (_name, boundThinking, lasts) => {
    const answers = [...Array.from({ length: 11 }, () => call('look', {})), say('found half')];
    const { session, deps } = setUp(answers, { maxSteps: 12 });
    const fitter: RequestFitter = { ...deps.fitter, boundThinking };
    expect(await runTurn(session, TASK, { ...deps, fitter, signal: live })).toBe('found half');
    const said = session.entries.filter((entry) => entry.type === 'message' && entry.item === 'ephemeral');
    expect(said).toMatchObject([
      { id: 'e16', message: { content: [{ text: '5 of 12' }] } },
      { message: { content: [{ text: '1 of 12' }] } },
    ]);
    expect(said.map((entry) => (entry.type === 'message' ? entry.lasts : ''))).toEqual([lasts, lasts]);
    expect(JSON.stringify(view(session.entries).messages).includes('5 of 12')).toBe(boundThinking);
  });

  test('an abort stops before the next call', async () => {
    const stop = new AbortController();
    const { session, deps, model } = setUp([call('look', {}), say('never')], {
      progress: () => stop.abort(new Error('stop')),
    });
    await expect(runTurn(session, TASK, { ...deps, signal: stop.signal })).rejects.toThrow('stop');
    expect(model.requests).toHaveLength(1);
  });
});

test('the message that opens a turn says by which policy the context is kept, a reminder does not (S4.6)', async () => {
  const { session, deps } = setUp([say('done'), say('done again')]);
  const context = { policy: 'two-agent', window: 100, trigger: 75, target: 37, hard: 90 };
  const fitter: RequestFitter = { ...deps.fitter, context };
  await runTurn(session, TASK, { ...deps, fitter, signal: live });
  await runTurn(session, { origin: 'reminder', text: 'and?' }, { ...deps, fitter, signal: live });
  const said = session.entries.map((entry) => (entry.type === 'message' ? entry.context : undefined));
  expect(said).toEqual([{ ...context, maxSteps: 10 }, undefined, undefined, undefined]);
});
