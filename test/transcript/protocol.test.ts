/** Every rule of the Messages API that a request must hold is shown to refuse a bad one (docs/internals/api-rules.md §2, §8). */
import { describe, expect, test } from 'vitest';
import type { Block, SendableMessage } from '../../src/transcript/message.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import type { ProtocolRules } from '../../src/transcript/protocol.ts';
import { imageOf, paddedPng } from '../support/images.ts';

const rules: ProtocolRules = { boundThinking: true, prefill: false };
const say = (text: string): Block => ({ type: 'text', text });
const use = (id: string, input = {}): Block => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, content: string | undefined = 'ok'): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const think: Block = { type: 'thinking', thinking: '', signature: 's' };
const image = (media_type = 'image/png'): Block => imageOf(paddedPng(), media_type);
const user = (...content: SendableMessage['content']): SendableMessage => ({ role: 'user', content });
const assistant = (...content: SendableMessage['content']): SendableMessage => ({ role: 'assistant', content });
const system = (...content: SendableMessage['content']): SendableMessage => ({ role: 'system', content });
const mark = (block: Block, ttl?: '5m' | '1h') => ({
  ...block,
  cache_control: { type: 'ephemeral' as const, ...(ttl === undefined ? {} : { ttl }) },
});

const good: [string, SendableMessage[], Partial<ProtocolRules>?][] = [
  ['one user message', [user(say('go'))]],
  ['a tool loop with thinking', [user(say('go')), assistant(think, use('t1')), user(result('t1'))]],
  ['parallel calls', [user(say('go')), assistant(use('t1'), use('t2')), user(result('t2'), result('t1'), say('and'))]],
  [
    'results in two messages of one turn',
    [user(say('go')), assistant(use('t1'), use('t2')), user(result('t1')), user(result('t2'))],
  ],
  ['consecutive roles', [user(say('a')), user(say('b')), assistant(say('c')), assistant(say('d')), user(say('e'))]],
  [
    'a result without content',
    [user(say('go')), assistant(use('t1')), user({ type: 'tool_result', tool_use_id: 't1' })],
  ],
  ['a system message after a user turn', [user(say('go')), system(say('now')), assistant(say('ok')), user(say('x'))]],
  ['an answer to go on from, where the model takes one', [user(say('go')), assistant(say('{'))], { prefill: true }],
  [
    'thinking before the rewrite, where nothing binds it',
    [user(say('go')), assistant(think, say('a')), user(say('b'))],
    { boundThinking: false, rewrittenThrough: 3 },
  ],
  [
    'four marks, the long ones first',
    [user(mark(say('a'), '1h'), mark(say('b'))), user(mark(say('c')))],
    { marksBefore: [{ type: 'ephemeral', ttl: '1h' }] },
  ],
  ['tool blocks with tools', [user(say('go')), assistant(use('t1')), user(result('t1'))], { toolNames: ['read'] }],
];

const loop = [user(say('go')), assistant(use('t1'))];
const bad: [rule: string, SendableMessage[], Partial<ProtocolRules>?][] = [
  ['no_messages', []],
  ['first_not_user', [assistant(say('hi')), user(say('go'))]],
  ['first_not_user', [system(say('hi')), user(say('go'))]],
  ['ends_with_assistant', [user(say('go')), assistant(say('done'))]],
  ['ends_with_assistant', loop],
  ['role', [user(say('go')), { role: 'tool' as 'user', content: [say('x')] }, user(say('x'))]],
  ['empty_content', [user(say('go')), assistant(), user(say('x'))]],
  ['empty_content', [...loop, user({ type: 'tool_result', tool_use_id: 't1', content: [] })]],
  [
    'error_not_text',
    [...loop, user({ type: 'tool_result', tool_use_id: 't1', is_error: true, content: [imageOf(paddedPng())] })],
  ],
  ['empty_text', [user(say(''))]],
  ['empty_text', [user(say(' \n'))]],
  ['empty_text', [...loop, user(result('t1', ''))]],
  ['empty_text', [...loop, user({ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: ' ' }] })]],
  ['only_thinking', [user(say('go')), assistant(think), user(say('x'))]],
  ['block_role', [user(use('t1'))]],
  ['block_role', [user(think, say('x'))]],
  ['block_role', [user(say('go')), assistant(result('t1')), user(say('x'))]],
  ['block_role', [user(say('go')), assistant(image()), user(say('x'))]],
  ['block_role', [user(say('go')), system(image())]],
  ['image_source', [user(image('image/tiff'))]],
  ['too_many_images', [user(image(), image())], { maxImages: 1 }],
  [
    'unsigned_thinking',
    [user(say('go')), assistant({ type: 'thinking', thinking: 'x', signature: '' }, say('a')), user(say('x'))],
  ],
  ['lone_surrogate', [user(say('a\uD83D'))]],
  ['lone_surrogate', [user(say('go')), assistant(use('t1', { 'k\uDE00': 1 })), user(result('t1'))]],
  ['lone_surrogate', [...loop, user(result('t1', '\uDE00'))]],
  ['system_place', [user(say('go')), assistant(say('a')), system(say('x')), assistant(say('b')), user(say('x'))]],
  ['system_place', [user(say('go')), system(say('x')), user(say('x'))]],
  ['call_without_result', [...loop, user(say('go on'))]],
  ['call_without_result', [user(say('go')), assistant(use('t1'), use('t2')), user(result('t1'))]],
  ['system_place', [...loop, system(say('x')), user(result('t1'))]],
  ['result_without_call', [user(result('t1'))]],
  ['result_without_call', [...loop, user(result('t1'), result('t9'))]],
  ['result_twice', [...loop, user(result('t1')), user(result('t1'))]],
  ['result_not_first', [...loop, user(say('here'), result('t1'))]],
  [
    'result_not_first',
    [user(say('go')), assistant(use('t1'), use('t2')), user(result('t1'), say('x')), user(result('t2'))],
  ],
  ['call_id', [user(say('go')), assistant(use('a b')), user(result('a b'))]],
  ['call_id_twice', [...loop, user(result('t1')), assistant(use('t1')), user(result('t1'))]],
  [
    'tool_name',
    [user(say('go')), assistant({ type: 'tool_use', id: 't1', name: 'a b', input: {} }), user(result('t1'))],
  ],
  ['tool_name', [user(say('go'))], { toolNames: ['a.b'] }],
  ['tool_twice', [user(say('go'))], { toolNames: ['read', 'read'] }],
  ['tools_missing', [...loop, user(result('t1'))], { toolNames: [] }],
  ['thinking_after_rewrite', [user(say('go')), assistant(think, say('a')), user(say('x'))], { rewrittenThrough: 2 }],
  ['mark_on_thinking', [user(say('go')), assistant(mark(think), say('a')), user(say('x'))]],
  ['too_many_marks', [user(mark(say('a')), mark(say('b')), mark(say('c')), mark(say('d')), mark(say('e')))]],
  [
    'too_many_marks',
    [user(mark(say('a')), mark(say('b')), mark(say('c')))],
    { marksBefore: [{ type: 'ephemeral' }, { type: 'ephemeral' }] },
  ],
  ['mark_order', [user(mark(say('a')), mark(say('b'), '1h'))]],
  ['mark_order', [user(mark(say('a'), '1h'))], { marksBefore: [{ type: 'ephemeral' }] }],
];

describe('findFault', () => {
  test.each(good)('passes %s', (_, messages, change) => {
    expect(findFault(messages, { ...rules, ...change })).toBeUndefined();
  });

  test.each(bad)('finds %s', (rule, messages, change) => {
    expect(findFault(messages, { ...rules, ...change })?.rule).toBe(rule);
  });

  test('says of every fault where it is and what is wrong, in words that do not change by themselves', async () => {
    const told = bad.map(([, messages, change]) => JSON.stringify(findFault(messages, { ...rules, ...change })));
    await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('golden/faults.txt');
  });

  test.each([
    ['too_many_messages', 100_000, undefined],
    ['too_many_messages', 100_001, 'too_many_messages'],
  ])('%s: %i messages', (_, count, rule) => {
    expect(
      findFault(
        Array.from({ length: count }, () => user(say('a'))),
        rules,
      )?.rule,
    ).toBe(rule);
  });

  test.each([
    [2, undefined],
    [1, 'too_many_images'],
  ])('%i images are taken: %s (those inside results count)', (maxImages, rule) => {
    const seen: Block = { type: 'tool_result', tool_use_id: 't1', content: [image() as never, say('a') as never] };
    const none: Block = { type: 'tool_result', tool_use_id: 't2', content: 'text' };
    const messages = [user(say('go')), assistant(use('t1'), use('t2')), user(seen, none, image())];
    expect(findFault(messages, { ...rules, maxImages })?.rule).toBe(rule);
  });

  test.each(['a'.repeat(64), 'A-z_9'])('%s is a name for a tool', (name) => {
    expect(findFault([user(say('go'))], { ...rules, toolNames: [name] })).toBeUndefined();
    expect(findFault([user(say('go'))], { ...rules, toolNames: [`${'a'.repeat(64)}${name}`] })?.rule).toBe('tool_name');
    expect(findFault([user(say('go'))], { ...rules, toolNames: [`${name} `] })?.rule).toBe('tool_name');
  });

  test('says where the fault is', () => {
    expect(findFault([...loop, user(result('t1')), user(say(''))], rules)).toMatchObject({ index: 3 });
  });
});
