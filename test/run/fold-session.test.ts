/** A session's state is folded from its transcript and the run's journal (S3.1). */
import { describe, expect, test } from 'vitest';
import { activeSkill } from '../../src/context/facts/active-skill.ts';
import { foldSession, sessionStatus, type SessionFacts } from '../../src/run/fold-session.ts';
import { SessionState } from '../../src/run/session.ts';
import type { Block } from '../../src/transcript/message.ts';
import type { Entry, MessageEntry } from '../../src/transcript/entry.ts';
import { after, created, started } from '../support/run-events.ts';
import { imageOf, paddedPng } from '../support/images.ts';

type More = Partial<Pick<MessageEntry, 'response' | 'item' | 'said' | 'context' | 'lane' | 'parents' | 'step'>>;

function log() {
  const entries: Entry[] = [];
  const add = (origin: MessageEntry['origin'], content: Block[], more: More = {}): MessageEntry => {
    const parents = entries.length === 0 ? [] : [`e${entries.length}`];
    const role = origin === 'model' ? 'assistant' : 'user';
    const entry: MessageEntry = {
      ...{
        version: 1,
        id: `e${entries.length + 1}`,
        parents,
        lane: 'main',
        step: 'design.r2',
        type: 'message',
        origin,
      },
      ...{ message: { role, content } },
      ...more,
    };
    entries.push(entry);
    return entry;
  };
  const says = (origin: MessageEntry['origin'], text: string, more: More = {}) =>
    add(origin, [{ type: 'text', text }], more);
  const calls = (name: string, input: Record<string, unknown>, answer: string, isError = false) => {
    const id = `toolu_${entries.length}`;
    add('model', [{ type: 'tool_use', id, name, input }], { response: answered(10) });
    add('tools', [{ type: 'tool_result', tool_use_id: id, content: answer, is_error: isError }]);
  };
  return { entries, add, says, calls };
}

function answered(input: number): NonNullable<MessageEntry['response']> {
  const usage = { input_tokens: input, cache_creation_input_tokens: 1, cache_read_input_tokens: 5, output_tokens: 3 };
  return { model: 'claude-opus-5-5', stopReason: 'end_turn', view: 'e0', usage };
}

const tools = {
  ...{ names: ['grep', 'write', 'recall', 'skill'], model: 'configured', maxLoops: 120 },
  subagent: { names: ['read'], model: 'smaller', maxLoops: 9 },
};

function stateOf(entries: readonly Entry[], more: Partial<SessionFacts> = {}): SessionState {
  const run = {
    id: 'run-1',
    scenario: 'refund-desk',
    status: 'live' as const,
    runStatus: 'designing',
    startedBy: after(created(), started()).startedBy,
    lastAt: '2026-11-20T10:00:00Z',
  };
  const facts = {
    run,
    agent: 'init',
    lane: 'main',
    entries,
    tools,
    uploads: ['scenario/brief.md'],
    costUsd: 0.5,
    ...more,
  };
  return SessionState.parse(foldSession(facts));
}

describe('S3.1: the state of a session', () => {
  test('names itself, its thread, who started it and where it works', () => {
    const { entries, says } = log();
    says('harness', 'design');
    expect(stateOf(entries)).toMatchObject({
      ...{ id: 'run-1/init', threadId: 'run-1/init', contextId: 'main', parentContext: null, userId: 'user:starter' },
      ...{ workspace: 'design/r2', uploads: ['scenario/brief.md'], status: 'live', model: 'configured', costUsd: 0.5 },
    });
  });

  test('counts messages by who made them, and what the model is shown of them', () => {
    const { entries, says, calls } = log();
    says('harness', 'design');
    calls('read', { file_path: 'a.md' }, 'text');
    says('reminder', 'todos', { item: 'recap' });
    says('model', 'done', { response: answered(20) });
    const { messages, calls: made, tokens } = stateOf(entries);
    expect(messages).toEqual({ total: 5, inView: 4, human: 0, harness: 1, model: 2, tools: 1, reminder: 1 });
    expect({ made, tokens }).toEqual({ made: 2, tokens: { input: 42, cacheRead: 10, output: 6 } });
  });

  test('loops are the answers since somebody asked: a reminder opens nothing', () => {
    const { entries, says } = log();
    says('harness', 'one');
    says('model', 'a', { response: answered(1) });
    says('human', 'two');
    says('model', 'b', { response: answered(1) });
    says('reminder', 'go on');
    says('model', 'c', { response: answered(1) });
    expect(stateOf(entries)).toMatchObject({ loops: 2, maxLoops: 120 });
    expect(stateOf(entries, { tools: undefined })).toMatchObject({ maxLoops: null, allowedTools: [] });
  });

  test('what code adds, and what a person says in the middle of a turn, opens none; what the harness asks does', () => {
    const { entries, says } = log();
    says('human', 'one');
    says('model', 'a', { response: answered(1) });
    says('human', 'in euro @aside.md', { said: { actor: 'user:ada', at: '2026-11-20T10:00:00Z', event: 3 } });
    says('harness', 'a recap', { item: 'recap' });
    says('model', 'b', { response: answered(1) });
    expect(stateOf(entries)).toMatchObject({ loops: 2, mentions: ['aside.md'] });
    says('harness', 'again');
    says('model', 'c', { response: answered(1) });
    expect(stateOf(entries)).toMatchObject({ loops: 1 });
  });

  test('mentions are those of people, and of no text that code put in for them', () => {
    const { entries, says } = log();
    says('human', 'see @a.md');
    says('human', 'attached: @b.md', { item: 'recap' });
    says('harness', 'see @c.md');
    expect(stateOf(entries).mentions).toEqual(['a.md']);
  });

  test('images are found in the results of tools as well, and nothing else there is one', () => {
    const { entries, add, says } = log();
    says('harness', 'design');
    add('model', [{ type: 'tool_use', id: 't1', name: 'read', input: {} }], { response: answered(1) });
    add('tools', [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'text', text: 'a picture' }, imageOf(paddedPng())],
        is_error: false,
      },
    ]);
    add('human', [imageOf(paddedPng(3))]);
    expect(stateOf(entries).images).toEqual([
      { entry: 'e3', media: 'image/png', inView: true },
      { entry: 'e4', media: 'image/png', inView: true },
    ]);
  });

  test('works where its last step did', () => {
    const { entries, says } = log();
    says('harness', 'design', { step: 'design.r2' });
    says('harness', 'go', { step: 'execute.i3' });
    expect(stateOf(entries).workspace).toBe('execution_outputs/iteration_3');
    const nowhere = entries.map(({ step: _step, ...entry }): Entry => entry);
    expect(stateOf(nowhere).workspace).toBeNull();
    expect(stateOf([]).workspace).toBeNull();
  });

  test('todos are those that were written last and taken', () => {
    const { entries, calls } = log();
    calls('todo_write', { todos: [{ id: '1', text: 'first', status: 'done' }] }, '{"ok":true}');
    calls('todo_write', { todos: [{ id: '1', text: 'refused', status: 'done' }] }, 'no', true);
    expect(stateOf(entries).todos).toEqual([{ text: 'first', status: 'done' }]);
    calls('todo_write', { todos: 'nonsense' }, '{"ok":true}');
    expect(stateOf(entries).todos).toEqual([]);
  });

  test('mentions are those of people, in order and once; the harness mentions nothing', () => {
    const { entries, says } = log();
    says('harness', 'see @brief.md');
    says('human', 'see @b.md and @a.md');
    says('human', 'again @b.md, not @/etc/passwd');
    expect(stateOf(entries).mentions).toEqual(['b.md', 'a.md']);
  });

  test('an image is in the view as long as its block is', () => {
    const { entries, add, says } = log();
    add('human', [imageOf(paddedPng())]);
    says('model', 'seen', { response: answered(1) });
    expect(stateOf(entries).images).toEqual([{ entry: 'e1', media: 'image/png', inView: true }]);
    entries.push(compaction('e2', { e1: '[image: recall e1]' }));
    says('human', 'on');
    expect(stateOf(entries)).toMatchObject({ compactions: 1, images: [{ entry: 'e1', inView: false }] });
  });

  test('a lane is a context of its own, and knows the one that it came from', () => {
    const { entries, says } = log();
    says('harness', 'task');
    says('harness', 'sub-task', { lane: 'subagent-0a0b0c0d', parents: ['e1'] });
    expect(stateOf(entries, { lane: 'subagent-0a0b0c0d' })).toMatchObject({
      ...{ id: 'run-1/init/subagent-0a0b0c0d', threadId: 'run-1/init', contextId: 'subagent-0a0b0c0d' },
      ...{ parentContext: 'main', messages: { total: 1 } },
    });
    expect(stateOf(entries).messages.total).toBe(1);
  });
});

describe('S3.1: the active skill', () => {
  const loaded = (name: string, tools_?: string[]) =>
    JSON.stringify({ ok: true, name, allowed_tools: tools_, body: 'b' });

  test('is the one loaded last; what it allows narrows the tools, but never the persistent ones', () => {
    const { entries, calls } = log();
    calls('skill', { name: 'one' }, loaded('one'));
    calls('skill', { name: 'two' }, loaded('two', ['grep', 'bash']));
    expect(stateOf(entries)).toMatchObject({
      activeSkill: { name: 'two', entry: 'e4' },
      allowedTools: ['grep', 'recall', 'skill'],
      persistentTools: ['recall', 'skill'],
    });
  });

  test('stays active over a compaction that leaves nothing of it in the view', () => {
    const { entries, calls, says } = log();
    says('harness', 'task');
    calls('skill', { name: 'one' }, loaded('one', ['read']));
    entries.push(compaction('e3', {}));
    expect(activeSkill(entries)).toEqual({ name: 'one', entry: 'e3', allowedTools: ['read'] });
    expect(stateOf(entries).activeSkill).toEqual({ name: 'one', entry: 'e3' });
  });

  test('is put away by none; a refusal, nonsense and another tool’s answer change nothing', () => {
    const { entries, calls } = log();
    calls('skill', { name: 'one' }, loaded('one'));
    calls('skill', { name: 'bad' }, loaded('bad'), true);
    calls('skill', { name: 'bad' }, 'not json');
    calls('skill', { name: 'bad' }, '{"ok":false,"name":"bad"}');
    calls('read', { file_path: 'x' }, loaded('bad'));
    expect(activeSkill(entries)?.name).toBe('one');
    calls('skill', { name: 'none' }, '{"ok":true,"name":"none"}');
    expect(stateOf(entries)).toMatchObject({ activeSkill: null, allowedTools: ['grep', 'write', 'recall', 'skill'] });
  });
});

describe('S3.1: tools, model and limits', () => {
  const lane = 'subagent-0a0b0c0d';

  test('are those that the agent had when its turn began, whatever its definition says now', () => {
    const { entries, says } = log();
    const context = { policy: 'two-agent', window: 100, trigger: 75, target: 37, hard: 90 };
    const then = { ...context, model: 'claude-haiku-4-5', tools: ['read', 'glob'], maxSteps: 4 };
    says('harness', 'task', { context: { ...context, model: 'older', tools: ['write'], maxSteps: 3 } });
    says('harness', 'task', { context: then });
    says('harness', 'sub-task', { lane, parents: ['e1'], context: { ...then, maxSteps: 2 } });
    const state = stateOf(entries);
    expect(state).toMatchObject({ allowedTools: ['glob', 'read'], persistentTools: ['read'], maxLoops: 4 });
    expect(state.model).toBe('claude-haiku-4-5');
    expect(stateOf(entries, { lane })).toMatchObject({ allowedTools: ['glob', 'read'], maxLoops: 2 });
  });

  test('of an older transcript are those of the definition: a sub-agent’s are not its agent’s', () => {
    const { entries, says } = log();
    says('harness', 'task');
    says('harness', 'sub-task', { lane, parents: ['e1'] });
    expect(stateOf(entries, { lane })).toMatchObject({ allowedTools: ['read'], model: 'smaller', maxLoops: 9 });
    expect(stateOf(entries, { lane, tools: undefined })).toMatchObject({ allowedTools: [], model: null });
    expect(stateOf(entries)).toMatchObject({ model: 'configured', maxLoops: 120 });
  });
});

test('every state of a run is live, gated, stopped or done', () => {
  const status = (name: string) => sessionStatus({ status: name } as Parameters<typeof sessionStatus>[0]);
  expect(['created', 'designing', 'executing'].map(status)).toEqual(['live', 'live', 'live']);
  expect(['awaiting_approval', 'paused', 'errored'].map(status)).toEqual(['gated', 'stopped', 'stopped']);
  expect(['succeeded', 'failed', 'rejected', 'expired', 'cancelled'].map(status)).toEqual(Array(5).fill('done'));
});

function compaction(coversThrough: string, pointers: Record<string, string>): Entry {
  const receipt = {
    tokensBefore: 10,
    tokensAfter: 5,
    stepsSummarised: 1,
    stepsKept: 0,
    decisions: [],
    cacheTokensLost: 0,
  };
  return {
    ...{ version: 1, id: 'e9', parents: [coversThrough], lane: 'main', type: 'compaction', coversThrough },
    ...{
      request: 'r',
      summary: 's',
      bridge: 'b',
      shortened: {},
      pointers,
      receipt: { reason: 'threshold', ...receipt },
    },
  };
}
