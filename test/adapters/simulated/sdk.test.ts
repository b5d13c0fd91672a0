/** The real SDK talks to the simulator: streamed, whole, counted, listed, and through every class of error. */
import Anthropic, {
  APIError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import type { InjectedFault, ScriptInput } from '../../../src/adapters/simulated/scripts/script.ts';
import { withSimulator } from './wire.ts';

const INPUT = { file_path: 'notes/ü.md', content: 'line "one"\n\u{1f600} '.repeat(40) };
const WRITER: ScriptInput = {
  version: 1,
  who: 'writer',
  match: { system_includes: 'writer' },
  turns: [
    {
      name: 'only',
      marker: 'go',
      steps: [
        {
          think: 'Think '.repeat(30),
          say: 'I write, \u{1f58a}.',
          calls: [{ tool: 'write', input: INPUT }, { tool: 'read' }],
        },
      ],
    },
  ],
};
const REQUEST = {
  model: 'claude-opus-5-5',
  max_tokens: 4000,
  system: 'writer',
  thinking: { type: 'adaptive', display: 'summarized' },
  tools: [
    { name: 'read', description: 'Reads.', input_schema: { type: 'object' } },
    { name: 'write', description: 'Writes.', input_schema: { type: 'object' } },
  ],
  messages: [{ role: 'user', content: 'go' }],
} satisfies Anthropic.MessageCreateParams;

function withClient<Value>(
  options: { faults?: InjectedFault[]; now?: () => Date },
  run: (client: Anthropic) => Promise<Value>,
): Promise<Value> {
  return withSimulator({ scripts: [WRITER], ...options }, (simulator) =>
    run(new Anthropic({ baseURL: simulator.url, apiKey: 'any', maxRetries: 0, logLevel: 'off', openTelemetry: false })),
  );
}

/** What the call was rejected with. */
const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the vendor’s client', () => {
  test('gets the same message streamed and whole', () =>
    withClient({}, async (client) => {
      const whole = await client.messages.create(REQUEST);
      const streamed = await client.messages.stream(REQUEST).finalMessage();
      expect(whole.content).toMatchObject([
        { type: 'thinking', thinking: 'Think '.repeat(30), signature: expect.any(String) },
        { type: 'text', text: 'I write, \u{1f58a}.' },
        { type: 'tool_use', name: 'write', input: INPUT },
        { type: 'tool_use', name: 'read', input: {} },
      ]);
      expect(streamed.content.map((block) => ({ ...block }))).toMatchObject(whole.content);
      expect(streamed).toMatchObject({
        id: whole.id,
        stop_reason: 'tool_use',
        usage: { output_tokens: whole.usage.output_tokens },
      });
      expect(whole._request_id).toMatch(/^req_/);
    }));

  test('sees the events in their order, a tool’s input in several pieces, and one signature', () =>
    withClient({}, async (client) => {
      const seen: string[] = [];
      for await (const event of await client.messages.create({ ...REQUEST, stream: true })) {
        seen.push(event.type === 'content_block_delta' ? `${event.index}.${event.delta.type}` : event.type);
      }
      expect(seen[0]).toBe('message_start');
      expect(seen.slice(-2)).toEqual(['message_delta', 'message_stop']);
      expect(seen.filter((type) => type === '2.input_json_delta').length).toBeGreaterThan(3);
      expect(seen.filter((type) => type === '0.thinking_delta').length).toBeGreaterThan(1);
      expect(seen.filter((type) => type === '0.signature_delta')).toHaveLength(1);
      expect(seen.indexOf('0.signature_delta')).toBe(seen.indexOf('content_block_stop') - 1);
    }));

  test('counts tokens: as many as the message is billed for', () =>
    withClient({}, async (client) => {
      const { max_tokens: _, ...counted } = REQUEST;
      const { input_tokens: counts } = await client.messages.countTokens(counted);
      const { usage } = await client.messages.create(REQUEST);
      expect(usage.input_tokens).toBe(counts);
    }));

  test('reads one model and all pages of the list', () =>
    withClient({ now: () => new Date('2026-11-20') }, async (client) => {
      expect(await client.models.retrieve('claude-opus-5-5')).toMatchObject({
        id: 'claude-opus-5-5',
        type: 'model',
        max_input_tokens: 1_000_000,
        max_tokens: 128_000,
        lifecycle: 'active',
        retires_at: null,
        line: 'opus',
        capabilities: { thinking: { types: { adaptive: { supported: true }, disabled: { supported: false } } } },
      });
      const listed: string[] = [];
      for await (const { id } of client.models.list({ limit: 4 })) listed.push(id);
      expect(listed).toEqual([...new Set(listed)]);
      const { data, has_more: more } = await client.models.list({ limit: 2, before_id: listed[5] ?? '' });
      expect([data.map(({ id }) => id), more]).toEqual([listed.slice(3, 5), true]);
      expect(listed.length).toBeGreaterThan(15);
      expect(listed).not.toContain('claude-mythos-preview');
      const retired: string[] = [];
      for await (const { id } of client.models.list({ lifecycle: ['retired'] })) retired.push(id);
      expect(retired).toEqual(['claude-mythos-preview']);
      expect(await failure(client.models.retrieve('gpt'))).toBeInstanceOf(NotFoundError);
    }));

  test.each([
    ['429', RateLimitError, 'rate_limit_error'],
    ['500', InternalServerError, 'api_error'],
    ['529', APIError, 'overloaded_error'],
  ] as const)('gets a %s once, and then an answer', (kind, type, name) =>
    withClient({ faults: [{ at: 1, kind }] }, async (client) => {
      const error = await failure(client.messages.create(REQUEST));
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ status: Number(kind), type: name, requestID: expect.stringMatching(/^req_/) });
      expect(error instanceof APIError && error.headers?.get('retry-after')).toBe(kind === '429' ? '1' : null);
      expect((await client.messages.create(REQUEST)).stop_reason).toBe('tool_use');
    }),
  );

  test('gets 400, 401, 404 and 413 as their classes', () =>
    withClient({}, async (client) => {
      const nobody = client.withOptions({
        apiKey: null,
        authToken: null,
        defaultHeaders: { authorization: null, 'x-api-key': '' },
      });
      expect(await failure(client.messages.create({ ...REQUEST, messages: [] }))).toBeInstanceOf(BadRequestError);
      expect(await failure(nobody.messages.create(REQUEST))).toMatchObject({ status: 401 });
      expect(await failure(client.messages.create({ ...REQUEST, model: 'claude-opus-4.5' }))).toBeInstanceOf(
        NotFoundError,
      );
      const huge = { ...REQUEST, messages: [{ role: 'user' as const, content: 'go'.repeat(17 * 1024 * 1024) }] };
      expect(await failure(client.messages.create(huge))).toMatchObject({ status: 413, type: 'request_too_large' });
    }));

  test('meets an error in mid-stream, after the first block', () =>
    withClient({ faults: [{ at: 1, kind: 'mid_stream' }] }, async (client) => {
      const stream = client.messages.stream(REQUEST);
      const finished: string[] = [];
      stream.on('contentBlock', (block) => finished.push(block.type));
      expect(await failure(stream.finalMessage())).toMatchObject({ type: 'overloaded_error', status: undefined });
      expect(finished).toEqual(['thinking']);
      expect((await client.messages.stream(REQUEST).finalMessage()).stop_reason).toBe('tool_use');
    }));

  test('meets a stream and a body that are cut off', () =>
    withClient(
      {
        faults: [
          { at: 1, kind: 'cut' },
          { at: 2, kind: 'cut' },
        ],
      },
      async (client) => {
        expect(await failure(client.messages.stream(REQUEST).finalMessage())).toBeInstanceOf(Error);
        expect(await failure(client.messages.create(REQUEST))).toBeInstanceOf(Error);
        expect((await client.messages.create(REQUEST)).stop_reason).toBe('tool_use');
      },
    ));

  test('meets a refusal, an empty end and an unfinished call, each with status 200', () =>
    withClient(
      {
        faults: [
          { at: 1, kind: 'refusal' },
          { at: 2, kind: 'empty' },
          { at: 3, kind: 'max_tokens' },
          { who: 'writer', nth: 4, kind: 'max_tokens' },
        ],
      },
      async (client) => {
        expect(await client.messages.create(REQUEST)).toMatchObject({
          content: [],
          stop_reason: 'refusal',
          stop_details: { type: 'refusal' },
        });
        expect(await client.messages.create(REQUEST)).toMatchObject({
          content: [],
          stop_reason: 'end_turn',
          stop_details: null,
        });
        const cut = await client.messages.create({ ...REQUEST, tools: REQUEST.tools.toReversed() });
        expect(cut.stop_reason).toBe('max_tokens');
        expect(cut.content.at(-1)).toMatchObject({ type: 'tool_use' });
        expect((await client.messages.stream(REQUEST).finalMessage()).stop_reason).toBe('max_tokens');
      },
    ));

  test('is cut at max_tokens, at a stop sequence and at the end of the window', () =>
    withClient({}, async (client) => {
      const short = await client.messages.stream({ ...REQUEST, max_tokens: 150 }).finalMessage();
      expect(short).toMatchObject({
        stop_reason: 'max_tokens',
        content: [{ type: 'thinking' }, { type: 'text' }, { type: 'tool_use', name: 'write' }],
      });
      const stopped = await client.messages.create({ ...REQUEST, stop_sequences: [', '] });
      expect(stopped).toMatchObject({
        stop_reason: 'stop_sequence',
        stop_sequence: ', ',
        content: [{}, { type: 'text', text: 'I write' }],
      });
      const full = {
        ...REQUEST,
        model: 'claude-haiku-4-5',
        thinking: { type: 'disabled' as const },
        messages: [{ role: 'user' as const, content: `go${'x'.repeat(659_500)}` }],
      };
      expect((await client.messages.create(full)).stop_reason).toBe('model_context_window_exceeded');
      expect(await client.messages.create({ ...REQUEST, max_tokens: 0 })).toMatchObject({
        content: [],
        stop_reason: 'max_tokens',
      });
    }));
});
