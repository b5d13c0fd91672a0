import { describe, expect, test } from 'vitest';
import { readTraces } from '../../../src/interop/traces/read-traces.ts';
import { chance } from '../../support/chance.ts';
import { makeTraces } from './loan-desk.ts';
import { FORMS, writeTrace } from './recorded-forms.ts';

const [made] = makeTraces(1, chance(2));
const STEPS = made?.steps ?? [];

describe('each form', () => {
  test.each(FORMS)('%s: the words, the calls and their answers, in order', (form) => {
    const [read, ...rest] = readTraces(writeTrace(form, STEPS, 'one'), 'f.json');
    expect(rest).toEqual([]);
    expect(read?.place).toBe('f.json:1');
    expect(read?.steps).toEqual(STEPS.map((step) => ('tool' in step ? { ...step, is_error: false } : step)));
  });
});

test('a file that Python wrote is read: a byte order mark, NaN, and several lines', () => {
  const steps = [
    { source: 'user', message: 'one', cost: 0 },
    { source: 'agent', message: 'A' },
  ];
  const text = `\uFEFF${JSON.stringify({ steps }, null, 2).replace('"cost": 0', '"cost": NaN')}`;
  expect(readTraces(text, 'f.json').map((one) => one.steps)).toEqual([[{ user: 'one' }, { says: 'A' }]]);
});

test('a line of a log is a conversation, with its line; a call without an answer is none', () => {
  const call = {
    role: 'assistant',
    content: 'Wait.',
    tool_calls: [{ id: 'c', function: { name: 't', arguments: '{}' } }],
  };
  const log = [
    {
      request: { messages: [{ role: 'user', content: 'one' }] },
      response: { choices: [{ message: { content: 'A' } }] },
    },
    { messages: [{ role: 'system', content: 's' }, { role: 'user', content: 'two' }, call] },
  ];
  const read = readTraces(log.map((line) => JSON.stringify(line)).join('\n\n'), 'f.jsonl');
  expect(read.map(({ place, steps }) => [place, steps])).toEqual([
    ['f.jsonl:1', [{ user: 'one' }, { says: 'A' }]],
    ['f.jsonl:3', [{ user: 'two' }, { says: 'Wait.' }]],
  ]);
});

test('spans of tools give the answers that no call of a model repeats; conversations are told apart', () => {
  const span = (traceId: string, at: number, attributes: Record<string, unknown>) => ({
    ...{ traceId, spanId: `${at}`, startTimeUnixNano: `${at}` },
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  });
  const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const call = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'look', arguments: { id: 1 } }] };
  const spans = [
    span('a', 3, {
      'gen_ai.input.messages': JSON.stringify([text('user', 'Hi')]),
      'gen_ai.output.messages': JSON.stringify([call]),
    }),
    span('a', 4, { 'gen_ai.tool.name': 'look', 'gen_ai.tool.call.id': 'c1', 'gen_ai.tool.call.result': '{"n":1}' }),
    span('b', 1, {
      'gen_ai.input.messages': JSON.stringify([text('user', 'Ho')]),
      'gen_ai.output.messages': JSON.stringify([text('assistant', 'Yes')]),
    }),
  ];
  const read = readTraces(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }), 'f.json');
  expect(read.map(({ steps }) => steps)).toEqual([
    [{ user: 'Hi' }, { tool: 'look', args: { id: 1 }, output: { n: 1 }, is_error: false }],
    [{ user: 'Ho' }, { says: 'Yes' }],
  ]);
});

describe('what an export leaves open', () => {
  const CALL = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"id":1}' };
  const RESULT = { type: 'function_call_output', call_id: 'c1', output: '{"n":1}' };
  const SAID = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };

  test('items of Responses are words, calls and their answers; what is not known of them is noted', () => {
    const log = [
      { input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }, CALL, RESULT], output: [SAID] },
      {
        request: { input: 'Hi', previous_response_id: 'r1' },
        response: { output: [{ type: 'web_search_call' }, SAID] },
      },
    ];
    const [plain, open] = readTraces(log.map((line) => JSON.stringify(line)).join('\n'), 'f.jsonl');
    expect(plain).toEqual({
      place: 'f.jsonl:1',
      steps: [{ user: 'Hi' }, { tool: 'look', args: { id: 1 }, output: { n: 1 }, is_error: false }, { says: 'Done.' }],
      notes: [],
    });
    expect(open?.notes.join(' ')).toMatch(/web_search_call.*earlier response/);
  });

  test('an answer beside the messages, and messages in an event of a span or a page of Langfuse', () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const attributes = {
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'A' }] }]),
    };
    const span = { traceId: 't', spanId: '1', attributes: { 'gen_ai.operation.name': 'chat' } };
    for (const whole of [
      { messages, choices: [{ message: { role: 'assistant', content: 'A' } }] },
      { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, events: [{ attributes }] }] }] }] },
      { data: [{ id: 'o', traceId: 't', type: 'GENERATION', input: messages, output: { content: 'A' } }] },
    ])
      expect(readTraces(JSON.stringify(whole, null, 1), 'f').map(({ steps }) => steps)).toEqual([
        [{ user: 'Hi' }, { says: 'A' }],
      ]);
  });

  test('a broken line is a trace without steps, and messages that were cut off are nobody’s words', () => {
    const [, broken] = readTraces(`${JSON.stringify({ input: 'Hi', output: [SAID] })}\n{"input": [\n`, 'f.jsonl');
    expect(broken).toMatchObject({ place: 'f.jsonl:2', steps: [], notes: [expect.stringContaining('not JSON')] });
    const cut = { id: 'o', traceId: 't', type: 'GENERATION', input: '[{"role":"user","content":"Hi', output: 'A' };
    expect(readTraces(JSON.stringify({ id: 't', observations: [cut] }), 'f').map(({ steps }) => steps)).toEqual([
      [{ says: 'A' }],
    ]);
  });
});
