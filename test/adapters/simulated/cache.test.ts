/** Cache accounting: prefixes, lookback, minimum, life, and three numbers that add up (docs/internals/api-rules.md §2.6). */
import { describe, expect, test } from 'vitest';
import { createSubmission } from '../../../src/adapters/simulated/request/submission.ts';
import { createSimulatedPromptCache, type InputUsage } from '../../../src/adapters/simulated/cache.ts';
import { findModelCard } from '../../../src/adapters/simulated/request/models.ts';
import { totalTokens } from '../../../src/adapters/simulated/request/parts.ts';
import { ApiRequest } from '../../../src/adapters/simulated/request/shape.ts';
import { assistant, type Json, TOOL, user } from './wire.ts';

const LONG = 'word '.repeat(4000);
const mark = (ttl?: '5m' | '1h'): Json => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });
const text = (content: string, more: Json = {}): Json => ({ type: 'text', text: content, ...more });
const system = (ttl?: '5m' | '1h'): Json[] => [text(LONG, mark(ttl))];

function open(start = '2026-11-20T12:00:00Z') {
  const cache = createSimulatedPromptCache();
  let now = new Date(start).getTime();
  const pass = (minutes: number): void => {
    now += minutes * 60_000;
  };
  const send = (body: Json): InputUsage & { total: number } => {
    const request = ApiRequest.parse({ model: 'claude-opus-5-5', max_tokens: 100, messages: [user('go')], ...body });
    const model = findModelCard(request.model);
    if (model === undefined) throw new Error('unknown model');
    const submission = createSubmission({
      endpoint: 'messages',
      request,
      model,
      version: '2026-10-21',
      betas: new Set(),
      enforceBinding: true,
    });
    const usage = cache.account(submission, new Date(now));
    const total = totalTokens(submission.parts);
    const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
    expect(fresh + read + written).toBe(total);
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
    expect(short + long).toBe(written);
    return { ...usage, total };
  };
  return { send, pass };
}

describe('the prompt cache', () => {
  test('is written by the first request and read by the next', () => {
    const { send } = open();
    const first = send({ system: system() });
    expect(first).toMatchObject({ cache_read_input_tokens: 0, cache_creation: { ephemeral_1h_input_tokens: 0 } });
    expect(first.cache_creation_input_tokens).toBeGreaterThan(4096);
    expect(first.input_tokens).toBeLessThan(20);
    const second = send({ system: system(), messages: [user('go'), assistant('a'), user('on')] });
    expect(second).toMatchObject({
      cache_read_input_tokens: first.cache_creation_input_tokens,
      cache_creation_input_tokens: 0,
    });
  });

  test('grows with the conversation: what was read is not written again', () => {
    const { send } = open();
    const first = send({ system: system(), messages: [user(text('go', mark()))] });
    const more = [user(text('go')), assistant('a'), user(text(LONG, mark()))];
    const second = send({ system: system(), messages: more });
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    expect(second.cache_creation_input_tokens).toBe(second.total - first.total);
  });

  test('is not used without a mark, nor below the minimum of the model', () => {
    const { send } = open();
    expect(send({ system: LONG })).toMatchObject({ cache_creation_input_tokens: 0 });
    const short = { system: [text('word '.repeat(500), mark())] };
    expect(send(short)).toMatchObject({ cache_creation_input_tokens: 0 });
    expect(send({ ...short, model: 'claude-opus-5' }).cache_creation_input_tokens).toBeGreaterThan(512);
  });

  test('looks back twenty blocks from a mark, its own counted in', () => {
    const between = (count: number): Json =>
      user(...Array.from({ length: count }, (_, index) => text(`b${index}`)), text('end', mark()));
    for (const [count, read] of [
      [18, true],
      [19, false],
    ] as const) {
      const { send } = open();
      send({ system: system() });
      const got = send({ system: [text(LONG)], messages: [between(count)] });
      expect(got.cache_read_input_tokens > 0).toBe(read);
    }
  });

  test('forgets after five minutes, and each reading starts them anew', () => {
    const { send, pass } = open();
    send({ system: system() });
    pass(4);
    expect(send({ system: system() }).cache_read_input_tokens).toBeGreaterThan(0);
    pass(4);
    expect(send({ system: system() }).cache_read_input_tokens).toBeGreaterThan(0);
    pass(5);
    expect(send({ system: system() }).cache_read_input_tokens).toBe(0);
  });

  test('keeps alive what it reads below a mark', () => {
    const { send, pass } = open();
    const first = send({ system: system() });
    for (const words of ['one', 'two', 'three']) {
      pass(4);
      const got = send({ system: [text(LONG)], messages: [user(text(words, mark()))] });
      expect(got.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    }
  });

  test('keeps an hour what was marked for an hour, and books it apart', () => {
    const { send, pass } = open();
    const first = send({ system: system('1h'), messages: [user(text(LONG, mark('5m')))] });
    expect(first.cache_creation.ephemeral_1h_input_tokens).toBeGreaterThan(4096);
    expect(first.cache_creation.ephemeral_5m_input_tokens).toBeGreaterThan(4096);
    pass(30);
    const later = send({ system: system('1h'), messages: [user(text(LONG, mark('5m')))] });
    expect(later.cache_read_input_tokens).toBe(first.cache_creation.ephemeral_1h_input_tokens);
    expect(later.cache_creation_input_tokens).toBe(first.cache_creation.ephemeral_5m_input_tokens);
  });

  test.each<[string, Json, boolean]>([
    ['other tools lose all', { tools: [{ ...TOOL, description: 'Other.' }] }, false],
    ['another model loses all', { model: 'claude-sonnet-5-5' }, false],
    ['another choice of tools keeps tools and system', { tool_choice: { type: 'none' } }, true],
    ['other thinking keeps tools and system', { thinking: { type: 'adaptive' } }, true],
  ])('%s', (_, change, keepsSystem) => {
    const { send } = open();
    const body = { tools: [TOOL], system: system(), messages: [user(text(LONG, mark()))] };
    const first = send(body);
    const changed = send({ ...body, ...change });
    expect(changed.cache_read_input_tokens < first.cache_creation_input_tokens).toBe(true);
    expect(changed.cache_read_input_tokens > 0).toBe(keepsSystem);
    expect(send(body).cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
  });

  test('is reached by the automatic mark on the last block', () => {
    const { send } = open();
    const first = send({ ...mark(), messages: [user(LONG)] });
    expect(first.input_tokens).toBe(0);
    const second = send({ ...mark(), messages: [user(LONG), assistant('a'), user('on')] });
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
  });
});
