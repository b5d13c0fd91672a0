import { createServer } from 'node:http';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { startSimulator, type Simulator } from '../../../src/adapters/simulated/start.ts';
import type { InjectedFault, ScriptInput } from '../../../src/adapters/simulated/scripts/script.ts';
import { openaiSubject } from '../../../src/adapters/subjects/openai-subject.ts';
import type { ChatCompletionsOptions, SubjectInput } from '../../../src/ports/subject.ts';
import { subjectContract } from '../../contracts/subject.contract.ts';

const { signal } = new AbortController();
const START = {
  prompt: 'You switch lamps.',
  tools: [{ name: 'switch', description: 'Switches a lamp.', input_schema: { type: 'object' as const } }],
};
const hello = { type: 'user' as const, text: 'It is dark.' };
process.env['CHAT_KEY'] = 'sk-very-secret';

const SCRIPT: ScriptInput = {
  version: 1,
  who: 'subject',
  match: { system_includes: 'You switch lamps.' },
  turns: [
    {
      ...{ name: 'dark', marker: 'It is dark.' },
      steps: [
        {
          say: 'Let me see.',
          calls: [
            { tool: 'switch', input: { id: 'hall', on: true } },
            { tool: 'switch', input: { id: 'attic', on: false } },
          ],
        },
        { say: 'The hall lamp is on.', expects: 'Error: "locked"' },
      ],
    },
    { name: 'thanks', marker: 'Thank you.', steps: [{ say: 'You are welcome.' }] },
  ],
};

let simulator: Simulator | undefined;
afterEach(async () => simulator?.close());

async function talk(faults: InjectedFault[] = [], more: Partial<ChatCompletionsOptions> = {}) {
  simulator = await startSimulator({ simulationDir: undefined, scripts: [SCRIPT], faults });
  const options = { baseUrl: `${simulator.url}/v1/`, model: 'any-model', maxTokens: 300, headers: {}, key: 'CHAT_KEY' };
  return openaiSubject({ ...options, ...more }).open(START);
}

/** An endpoint that answers with these texts, one a request, or with a status. */
async function serve(
  answers: readonly (string | { status: number; text: string } | undefined)[],
  more: Partial<ChatCompletionsOptions> = {},
) {
  const bodies: { messages: Record<string, unknown>[]; [key: string]: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      bodies.push(JSON.parse(text) as (typeof bodies)[number]);
      const answer = answers[bodies.length - 1];
      if (typeof answer === 'object') response.writeHead(answer.status).end(answer.text);
      else if (answer !== undefined) response.end(answer);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    bodies,
    subject: openaiSubject({
      baseUrl,
      model: 'm',
      maxTokens: 300,
      headers: {},
      price: { input: 0, output: 1 },
      ...more,
    }),
  };
}

const completion = (message: object, finish = 'stop', usage?: object) =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', ...message }, finish_reason: finish }], usage });

subjectContract(
  'a Chat Completions endpoint',
  async (start, answers) => {
    const mapped = answers.map((answer) => {
      if (!answer.startsWith('{"say"')) return answer;
      const {
        say,
        calls,
        cost_usd: usd = 0,
      } = JSON.parse(answer) as { say: string; calls?: { tool: string; args: object }[]; cost_usd?: number };
      const tool_calls = calls?.map(({ tool, args }) => ({
        function: { name: tool, arguments: JSON.stringify(args) },
      }));
      return completion({ content: say, tool_calls }, 'stop', { prompt_tokens: 0, completion_tokens: usd * 1e6 });
    });
    return (await serve(mapped)).subject.open(start);
  },
  { mayFinish: false },
);

const results = ({ calls }: { calls: { id: string; tool: string }[] }): SubjectInput => ({
  type: 'results',
  results: calls.map(({ id, tool }, index) => ({
    id,
    tool,
    output: index === 0 ? { ok: true } : '"locked"',
    is_error: index > 0,
  })),
});

describe('a subject behind a Chat Completions endpoint', () => {
  test.each([false, true])(
    'parallel calls, results, errors and words go both ways past the offline endpoint (streamed: %s)',
    async (stream) => {
      const conversation = await talk([], { stream, price: { input: 2, output: 10 } });
      const first = await conversation.next(hello, 5000, signal);
      expect(first).toMatchObject({
        says: 'Let me see.',
        calls: [
          { tool: 'switch', args: { id: 'hall', on: true } },
          { tool: 'switch', args: { id: 'attic', on: false } },
        ],
      });
      const { input_tokens: input, output_tokens: output } = first.usage;
      expect(first.costUsd).toBeCloseTo((2 * input + 10 * output) / 1e6, 12);
      expect(Math.min(input, output)).toBeGreaterThan(0);
      expect(await conversation.next(results(first), 5000, signal)).toMatchObject({
        says: 'The hall lamp is on.',
        calls: [],
      });
      expect(await conversation.next({ type: 'user', text: 'Thank you.' }, 5000, signal)).toMatchObject({
        says: 'You are welcome.',
      });
      expect(simulator?.requests.map(({ status, model }) => [status, model])).toEqual(
        Array.from({ length: 3 }, () => [200, 'any-model']),
      );
    },
  );

  test.each([
    ['429', false],
    ['500', false],
    ['529', false],
    ['cut', false],
    ['cut', true],
    ['mid_stream', true],
  ] as const)('%s is tried again (streamed: %s)', async (kind, stream) => {
    const conversation = await talk([{ at: 1, kind }], { stream });
    const turn = await conversation.next(hello, 5000, signal);
    expect(turn).toMatchObject({ says: 'Let me see.' });
    expect(simulator?.requests).toHaveLength(2);
  });

  test.each([
    ['refusal', { stop: 'refusal', detail: 'the model refused: Simulated refusal.' }],
    ['max_tokens', { stop: 'cut', detail: 'length' }],
    ['empty', { stop: 'done' }],
  ] as const)('%s ends the conversation', async (kind, end) => {
    const conversation = await talk([{ at: 1, kind }]);
    expect(await conversation.next(hello, 5000, signal)).toMatchObject({ calls: [], end });
  });

  test('a wrong key and a wrong model are nobody’s failure, and no secret is repeated', async () => {
    process.env['SPACED'] = 'a key';
    const conversation = await talk([], { key: 'SPACED' });
    const turn = await conversation.next(hello, 5000, signal);
    expect(turn.end).toMatchObject({ stop: 'infrastructure', detail: expect.stringContaining('401') });
    const { subject } = await serve([{ status: 403, text: 'the key sk-very-secret may not use it' }], {
      key: 'CHAT_KEY',
    });
    const { end } = await (await subject.open(START)).next(hello, 5000, signal);
    expect(end).toMatchObject({
      stop: 'infrastructure',
      detail: expect.stringContaining('403: the key (secret) may not'),
    });
    expect(() =>
      openaiSubject({ baseUrl: 'http://127.0.0.1:1', model: 'm', maxTokens: 1, headers: {}, key: 'NO_SUCH_KEY' }),
    ).toThrow('NO_SUCH_KEY, which is not set');
  });

  test('arguments that are no JSON are answered with an error, and the subject goes on', async () => {
    const call = (id: string, json: string) => ({ id, function: { name: 'switch', arguments: json } });
    const { bodies, subject } = await serve([
      completion({ content: null, tool_calls: [call('a', '{"on":tru')] }, 'tool_calls'),
      completion({ content: null, tool_calls: [call('b', '{"on":true}'), call('c', '[1]')] }, 'tool_calls'),
      completion({ content: 'Done.' }),
    ]);
    const conversation = await subject.open(START);
    expect(await conversation.next(hello, 5000, signal)).toMatchObject({ calls: [], goesOn: true });
    const second = await conversation.next(undefined, 5000, signal);
    expect(second.calls).toEqual([{ id: 'b', tool: 'switch', args: { on: true } }]);
    await conversation.next(
      { type: 'results', results: [{ id: 'b', tool: 'switch', output: 1, is_error: false }] },
      5000,
      signal,
    );
    expect(bodies[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      tool_call_id: 'a',
      content: expect.stringContaining('{"on":tru'),
    });
    expect(bodies[2]?.messages.slice(-2).map((message) => message['tool_call_id'])).toEqual(['c', 'b']);
    for (const { messages } of bodies)
      for (const made of messages.flatMap(
        (message) => (message['tool_calls'] ?? []) as { function: { arguments: string } }[],
      ))
        expect(() => JSON.parse(made.function.arguments) as unknown).not.toThrow();
  });

  test('a model that takes its limit under the newer name is asked again with it, once', async () => {
    const refusal = { status: 400, text: '{"error":{"message":"Use max_completion_tokens instead."}}' };
    const { bodies, subject } = await serve([refusal, completion({ content: 'Hi.' }), completion({ content: 'Ho.' })]);
    const conversation = await subject.open({ ...START, tools: [] });
    expect(await conversation.next(hello, 5000, signal)).toMatchObject({ says: 'Hi.', usage: { input_tokens: 0 } });
    await conversation.next(hello, 5000, signal);
    expect(bodies.map((body) => [body['max_tokens'], body['max_completion_tokens'], body['tools']])).toEqual([
      [300, undefined, undefined],
      [undefined, 300, undefined],
      [undefined, 300, undefined],
    ]);
  });

  const VENDOR = {
    ...{ reasoning_content: 'I see.', thinking_signature: 'sig', content: 'Let me see.' },
    reasoning_details: [{ type: 'reasoning.text', text: 'I see.', signature: 'sig', index: 0 }],
    tool_calls: [
      {
        ...{ id: 'a', type: 'function', function: { name: 'switch', arguments: '{"id":"hall"}' } },
        extra_content: { google: { thought_signature: 'x' } },
      },
    ],
  };

  test.each([false, true])('fields of the vendor come back to it as they came (streamed: %s)', async (stream) => {
    const {
      reasoning_details: [details],
      tool_calls: [call],
      ...texts
    } = VENDOR;
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finish }] })}\n\n`;
    const streamed = [
      chunk({ ...texts, reasoning_content: 'I ' }),
      chunk({ reasoning_content: 'see.', reasoning_details: [{ ...details, text: 'I ', signature: null }] }),
      chunk({ reasoning_details: [{ ...details, text: 'see.' }] }),
      chunk({ tool_calls: [{ index: 0, ...call, function: { name: 'switch', arguments: '{"id":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"hall"}' } }] }, 'tool_calls'),
    ].join('');
    const whole = completion(VENDOR, 'tool_calls');
    const { bodies, subject } = await serve([stream ? streamed : whole, completion({ content: 'Done.' })]);
    const conversation = await subject.open(START);
    const turn = await conversation.next(hello, 5000, signal);
    expect(turn.calls).toEqual([{ id: 'a', tool: 'switch', args: { id: 'hall' } }]);
    await conversation.next(results(turn), 5000, signal);
    expect(bodies[1]?.messages[2]).toEqual({ role: 'assistant', ...VENDOR });
  });

  test('an endpoint that refuses its own field gets the request once more without it, and later ones too', async () => {
    const refusal = {
      status: 422,
      text: '{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"]}]}',
    };
    const again = completion({ ...VENDOR, tool_calls: [{ ...VENDOR.tool_calls[0], id: 'b' }] }, 'tool_calls');
    const { bodies, subject } = await serve([
      completion(VENDOR, 'tool_calls'),
      refusal,
      again,
      completion({ content: 'Done.' }),
    ]);
    const conversation = await subject.open(START);
    const turn = await conversation.next(hello, 5000, signal);
    const second = await conversation.next(results(turn), 5000, signal);
    expect(await conversation.next(results(second), 5000, signal)).toMatchObject({ says: 'Done.' });
    expect(bodies.map(({ messages }) => JSON.stringify(messages).split('"reasoning_content"').length - 1)).toEqual([
      0, 1, 0, 0,
    ]);
    expect(JSON.stringify(bodies[3]?.messages).split('thought_signature').length - 1).toBe(2);
  });

  test('two calls with one id in an answer each get their result, and words in parts are words', async () => {
    const call = { id: 'a', function: { name: 'switch', arguments: '{"id":"hall"}' } };
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'I look.' },
    ];
    const { bodies, subject } = await serve([
      completion({ content: parts, tool_calls: [call, call] }, 'tool_calls'),
      completion({ content: 'Done.' }),
    ]);
    const conversation = await subject.open(START);
    const turn = await conversation.next(hello, 5000, signal);
    expect(turn.says).toBe('I look.');
    await conversation.next(results(turn), 5000, signal);
    const [, , said, first, second] = bodies[1]?.messages ?? [];
    expect(said?.['content']).toEqual(parts);
    expect([first?.['tool_call_id'], second?.['tool_call_id']]).toEqual(['a', 'a_2']);
  });

  test('a conversation that is too long is cut off, not unscored', async () => {
    const { subject } = await serve([{ status: 400, text: '{"error":{"code":"context_length_exceeded"}}' }]);
    expect(await (await subject.open(START)).next(hello, 5000, signal)).toMatchObject({ end: { stop: 'cut' } });
  });
});
