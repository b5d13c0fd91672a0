/** Thinking goes back as it was issued, where it was issued, or not at all (docs/internals/api-rules.md §2.5, T5). */
import { describe, expect, test } from 'vitest';
import type { ScriptInput } from '../../../src/adapters/simulated/scripts/script.ts';
import type { Simulator, SimulatorOptions } from '../../../src/adapters/simulated/start.ts';
import {
  ask,
  assistant,
  carryOn,
  type Got,
  type Json,
  post,
  type Reply,
  type Sent,
  TOOL,
  user,
  withSimulator,
} from './wire.ts';

/** Thinks and reads three times, then says that it is done; after the next words of the user it goes on. */
const THINKER: ScriptInput = {
  version: 1,
  who: 'thinker',
  match: { system_includes: 'thinker' },
  turns: [
    {
      name: 'only',
      marker: 'go',
      steps: [
        { think: 'First a.', say: 'Reading.', calls: [{ tool: 'read', input: { file_path: 'a' } }] },
        { think: 'Then b.', calls: [{ tool: 'read', input: { file_path: 'b' } }] },
        { calls: [{ tool: 'read', input: { file_path: 'c' } }] },
        { think: 'All read.', say: 'Done.' },
        { think: 'More.', calls: [{ tool: 'read', input: { file_path: 'd' } }] },
        { think: 'Enough.', say: 'Done again.' },
      ],
    },
  ],
};

const BASE = {
  model: 'claude-opus-5-5',
  max_tokens: 4000,
  system: 'thinker',
  tools: [TOOL],
  thinking: { type: 'adaptive' },
};
const go = user('go');
const BETA: Sent = { headers: { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' } };
const dropping = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };

type Blocks = Json[];
const isThinking = (block: Json): boolean => block['type'] === 'thinking';
const blocks = (message: Json | undefined): Blocks => (Array.isArray(message?.['content']) ? message['content'] : []);
const stripped = (message: Json): Json => ({
  ...message,
  content: blocks(message).filter((block) => !isThinking(block)),
});

type Told = {
  messages: Json[];
  send: (messages: Json[], more?: Json, sent?: Sent) => Promise<Got>;
  simulator: Simulator;
};

/** A conversation of so many steps, and the request that would follow. */
function afterSteps<Value>(
  { steps, options = {}, body = {} }: { steps: number; options?: Partial<SimulatorOptions>; body?: Json },
  run: (told: Told) => Promise<Value>,
): Promise<Value> {
  return withSimulator({ scripts: [THINKER], ...options }, async (simulator) => {
    const messages: Json[] = [go];
    for (let step = 0; step < steps; step += 1)
      messages.push(...carryOn(await ask(simulator, { ...BASE, ...body, messages })));
    return run({
      messages,
      simulator,
      send: (list, more, sent) => post(simulator, { ...BASE, ...body, ...more, messages: list }, sent),
    });
  });
}

const rule = async (got: Promise<Got>): Promise<string | undefined> => (await got).record?.rule;

describe('bound thinking', () => {
  test('comes without its text unless asked for, signed, and counts as output', () =>
    withSimulator({ scripts: [THINKER] }, async (simulator) => {
      const omitted = await ask(simulator, { ...BASE, messages: [go] });
      expect(omitted.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
      expect(omitted.content[0]).toMatchObject({ thinking: '', signature: expect.stringMatching(/^.{40,}$/) });
      expect(omitted.usage['output_tokens_details']).toMatchObject({ thinking_tokens: expect.any(Number) });
      const shown = await ask(simulator, {
        ...BASE,
        thinking: { type: 'adaptive', display: 'summarized' },
        messages: [go],
      });
      expect(shown.content[0]).toMatchObject({ thinking: 'First a.' });
    }));

  test('is accepted when it comes back untouched, through open loop and new turn', () =>
    afterSteps({ steps: 4 }, async ({ messages, send }) => {
      expect((await send([...messages, user('And d?')])).status).toBe(200);
    }));

  test('is accepted by a restarted server', async () => {
    const messages = await afterSteps({ steps: 2 }, async (told) => told.messages);
    await withSimulator({ scripts: [THINKER] }, async (simulator) => {
      expect((await post(simulator, { ...BASE, messages })).status).toBe(200);
    });
  });

  test('may move its cache marks, for they are not part of the conversation', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const mark = { cache_control: { type: 'ephemeral' } };
      const system = [{ type: 'text', text: 'thinker', ...mark }];
      const marked = messages.with(0, user({ type: 'text', text: 'go', ...mark }));
      expect((await send(marked, { system, tools: [{ ...TOOL, ...mark }] })).status).toBe(200);
    }));

  test.each<[string, (messages: Json[]) => Json[], Json]>([
    ['the first message', (messages) => messages.with(0, user('go!')), {}],
    ['an old tool result', (messages) => messages.with(2, user({ ...blocks(messages[2])[0], content: 'short' })), {}],
    ['the system text', (messages) => messages, { system: 'thinker of today' }],
    ['the tools', (messages) => messages, { tools: [{ ...TOOL, description: 'Other.' }] }],
    [
      'the messages, for a summary (T5)',
      (messages) => [user('go'), assistant('Summary.'), go, ...messages.slice(3)],
      {},
    ],
  ])('is refused when %s changed', (_, change, more) =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const got = await send(change(messages), more);
      expect(got.record?.rule).toBe('thinking_prefix');
      expect(got.record?.refusal).toMatch(/content\.0: Invalid `signature` .* bound to a different conversation/);
    }),
  );

  test('is refused when it moved to another message or place', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const [thought, ...rest] = blocks(messages[3]);
      const [first, ...others] = blocks(messages[1]);
      expect(await rule(send(messages.with(3, assistant(first ?? {}, ...rest))))).toBe('thinking_prefix');
      expect(
        await rule(send(messages.with(1, assistant(...others.slice(0, 1), first ?? {}, ...others.slice(1))))),
      ).toBe('thinking_prefix');
      expect(await rule(send(messages.with(1, assistant(...blocks(messages[1]), thought ?? {}))))).toBe(
        'thinking_prefix',
      );
    }));

  test('is refused when its text or signature was tampered with', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const edit = (index: number, more: Json) => {
        const [thought, ...rest] = blocks(messages[index]);
        return messages.with(index, assistant({ ...thought, ...more }, ...rest));
      };
      const latest = await send(edit(3, { thinking: 'Else.' }));
      expect(latest.record).toMatchObject({
        rule: 'thinking_as_signed',
        refusal: expect.stringContaining('cannot be modified'),
      });
      const older = await send([...edit(1, { signature: 'bm8=' }), assistant('x'), user('y')]);
      expect(older.record).toMatchObject({
        rule: 'thinking_as_signed',
        refusal: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      });
    }));

  test('cannot be left out of an open tool loop, not even all of it', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      expect(await rule(send(messages.map(stripped)))).toBe('thinking_kept_in_open_loop');
      expect(await rule(send(messages.with(3, stripped(messages[3] ?? {}))))).toBe('thinking_kept_in_open_loop');
      const got = await send(messages.with(1, stripped(messages[1] ?? {})));
      expect(got.record).toMatchObject({
        rule: 'thinking_kept_in_open_loop',
        refusal: expect.stringContaining('messages.1.content.0'),
      });
    }));

  test('may be left out altogether once a person has spoken after it, beside the results too', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const all = messages.map(stripped);
      expect((await send([...all, user('Go on.')])).status).toBe(200);
      const beside = all.with(all.length - 1, user(...blocks(all.at(-1)), 'Go on.'));
      expect((await send(beside)).status).toBe(200);
    }));

  test('goes on after everything before it was stripped', () =>
    afterSteps({ steps: 1 }, async ({ messages, send, simulator }) => {
      const rewritten = [...messages.map(stripped), user('Go on.')];
      const reply: Reply = await ask(simulator, { ...BASE, messages: rewritten });
      expect(reply.content[0]?.type).toBe('thinking');
      expect((await send([...rewritten, ...carryOn(reply)])).status).toBe(200);
    }));

  test('is not left out in part: neither the older nor the newer of two', () =>
    afterSteps({ steps: 4 }, async ({ messages, send }) => {
      const next = [...messages, user('And d?')];
      expect((await send(next.map(stripped))).status).toBe(200);
      expect(await rule(send(next.with(1, stripped(next[1] ?? {}))))).toBe('thinking_prefix');
      expect(await rule(send(next.with(3, stripped(next[3] ?? {})).with(7, stripped(next[7] ?? {}))))).toBe(
        'thinking_all_or_none',
      );
    }));

  test('is dropped and reported when the request asks for that', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const changed = messages.with(0, user('go!'));
      const got = await send(changed, dropping, BETA);
      expect(got.status).toBe(200);
      expect(got.body['input_transformations']).toEqual([
        { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
        { type: 'thinking_dropped', path: 'messages.3.content.0', reason: 'prefix_binding_mismatch' },
      ]);
      expect((await send(messages, dropping, BETA)).body['input_transformations']).toEqual([]);
    }));

  test('is not checked for an account of before the rule, unless it asks', () =>
    afterSteps({ steps: 2, options: { enforceBinding: false } }, async ({ messages, send }) => {
      const changed = messages.with(0, user('go!'));
      expect((await send(changed)).status).toBe(200);
      const asking = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } } };
      expect(await rule(send(changed, asking, BETA))).toBe('thinking_prefix');
    }));

  test('costs what was thought, shown or not, and nothing once it is dropped', () =>
    afterSteps({ steps: 2 }, async ({ messages, simulator, send }) => {
      const count = async (list: Json[], more: Json = {}, sent: Sent = {}): Promise<number> => {
        const { max_tokens: _, ...counted } = { ...BASE, ...more, messages: list };
        const got = await post(simulator, counted, { ...sent, path: '/v1/messages/count_tokens' });
        return Number(got.body['input_tokens']);
      };
      const last = user('Go on.');
      const bare = await count([...messages.map(stripped), last]);
      expect(await count([...messages, last])).toBeGreaterThan(bare + 3);
      expect(await count([user('go!'), ...messages.slice(1), last], dropping, BETA)).toBeCloseTo(bare, -1);
      const whole = await count([...messages, last], { model: 'claude-haiku-5-5' });
      expect(whole).toBe(await count([...messages.map(stripped), last], { model: 'claude-haiku-5-5' }));
      expect((await send(messages)).status).toBe(200);
    }));

  test('of another model is left out in silence', () =>
    afterSteps({ steps: 2 }, async ({ messages, send }) => {
      const got = await send(messages, { model: 'claude-haiku-5-5' }, BETA);
      expect(got.status).toBe(200);
      expect(got.body['input_transformations']).toMatchObject([
        { reason: 'model_binding_mismatch' },
        { reason: 'model_binding_mismatch' },
      ]);
    }));

  test('between tools comes back as thinking only where tools were called', () =>
    afterSteps(
      { steps: 2, body: { model: 'claude-sonnet-5-5', thinking: { type: 'between_tools' } } },
      async ({ messages, send }) => {
        expect(blocks(messages[1]).some(isThinking)).toBe(false);
        expect(blocks(messages[3]).some(isThinking)).toBe(true);
        expect((await send(messages)).status).toBe(200);
      },
    ));
});

describe('thinking that is not bound', () => {
  const opus48 = { model: 'claude-opus-4-8' };

  test('may see its past changed, but not its own loop stripped', () =>
    afterSteps({ steps: 2, body: opus48 }, async ({ messages, send }) => {
      expect((await send(messages.with(0, user('go!')))).status).toBe(200);
      expect(await rule(send(messages.map(stripped)))).toBe('thinking_kept_in_open_loop');
      expect((await send(messages.map(stripped), { thinking: { type: 'disabled' } })).status).toBe(200);
    }));

  test('of finished turns costs nothing on models that strip it', () => {
    const manual = { model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } };
    return afterSteps({ steps: 1, body: manual }, async ({ messages, simulator }) => {
      const count = async (list: Json[]): Promise<unknown> => {
        const { max_tokens: _, ...counted } = { ...BASE, ...manual, messages: list };
        return (await post(simulator, counted, { path: '/v1/messages/count_tokens' })).body['input_tokens'];
      };
      const more = [...messages, user('Go on.')];
      expect(await count(more)).toBe(await count(more.map(stripped)));
    });
  });

  test('opens every message of a loop with manual thinking', () => {
    const manual = { model: 'claude-sonnet-4-6', thinking: { type: 'enabled', budget_tokens: 2000 } };
    return afterSteps({ steps: 3, body: manual }, async ({ messages, send }) => {
      expect(
        messages.filter(({ role }) => role === 'assistant').map((message) => blocks(message)[0]?.['type']),
      ).toEqual(Array(3).fill('thinking'));
      expect((await send(messages)).status).toBe(200);
      const [thought, ...rest] = blocks(messages[5]);
      const late = messages.with(5, assistant('First text.', thought ?? {}, ...rest));
      expect(await rule(send(late))).toBe('thinking_opens_with_enabled');
    });
  });
});
