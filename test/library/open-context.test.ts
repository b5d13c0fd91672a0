/** The façade: what is pushed, what is sent, what it says when something is wrong. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSimulatedPromptCache } from '../../src/adapters/simulated/cache.ts';
import { createFaultPlan } from '../../src/adapters/simulated/outcome.ts';
import { createResponder } from '../../src/adapters/simulated/respond.ts';
import {
  chatCompletions,
  HarnessError,
  messagesApi,
  openContext,
  type ChatAnswer,
  type ChatRequest,
} from '../../src/library/context.ts';
import type { MessagesRequest } from '../../src/library/shapes/anthropic-messages.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { scratch } from '../support/scratch.ts';

const read = { name: 'read', description: 'reads', input_schema: { type: 'object' as const } };
const MODEL = 'claude-sonnet-5-5';
const SUMMARY = JSON.stringify({ goal: 'to read on', done: ['some'], findings: ['none'], open: ['the rest'] });

type Open = Parameters<typeof openContext>[0];
/** `demo` with small limits, so that a few steps fill it. */
const open = (more: Partial<Pick<Open, 'now' | 'onEntry' | 'folder' | 'system' | 'keepSteps'>> = {}) =>
  openContext({
    ...{ policy: 'demo', trigger: { tokens: 9000 }, model: MODEL, system: 'You read.', maxTokens: 4000 },
    ...{ shape: messagesApi([read]), ...more },
  });

function answer(content: object[], stop: string, usage = { input_tokens: 3000, output_tokens: 50 }) {
  return { id: 'msg', type: 'message', role: 'assistant', model: MODEL, content, stop_reason: stop, usage } as never;
}
const summarises = () =>
  Promise.resolve(answer([{ type: 'text', text: `<compact_summary>${SUMMARY}</compact_summary>` }], 'end_turn'));
const never = () => Promise.reject(new Error('no summary is due'));
const person = (text: string) => ({ role: 'user' as const, content: text });
const calls = (id: string) => ({
  role: 'assistant' as const,
  content: [{ type: 'tool_use' as const, id, name: 'read', input: { file_path: `${id}.md` } }],
});
const result = (id: string, words = 40) => ({
  role: 'user' as const,
  content: [{ type: 'tool_result' as const, tool_use_id: id, content: `${id} ${'word '.repeat(words)}` }],
});

/** The rules of the offline model, which are written apart from ours. */
const respond = createResponder({
  ...{ players: [], cache: createSimulatedPromptCache(), faults: createFaultPlan([]), enforceBinding: true },
  ...{
    now: () => new Date('2026-11-20'),
  },
});
function refusalOf({ max_tokens: _cap, ...body }: MessagesRequest): string | undefined {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const path = '/v1/messages/count_tokens';
  const { record } = respond({
    method: 'POST',
    path,
    query: new URLSearchParams(),
    headers,
    body: JSON.stringify(body),
  });
  return record.status === 200 ? undefined : `${record.rule}: ${record.refusal}`;
}

type Move =
  | { type: 'person' | 'says' | 'system'; words: number }
  | { type: 'call'; ids: number[]; whole: boolean; results: number[]; words: number }
  | { type: 'stray'; id: number };
const words = fc.integer({ min: 1, max: 120 });
const id = fc.integer({ min: 0, max: 6 });
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('person' as const, 'says' as const, 'system' as const), words }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('call' as const),
      ids: fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
      whole: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
      results: fc.uniqueArray(id, { maxLength: 4 }),
      // Three steps of them fit into what is kept word for word.
      words: fc.integer({ min: 90, max: 130 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('stray' as const), id }) },
);

describe('whatever sequence of pushes', () => {
  test('each request is valid by the rules of the API, and the latest steps stay word for word (S0.5)', async () => {
    let compactions = 0;
    const run = async (moves: Move[]) => {
      const context = await open({ keepSteps: 3 });
      context.push(person('Read all of it.'));
      for (let step = 1; step <= 20; step += 1) {
        context.push(calls(`p${step}`));
        context.push(result(`p${step}`, 120));
      }
      for (const one of moves) {
        if (one.type === 'stray') context.push(result(`c${one.id}`));
        else if (one.type === 'call') {
          const [first, ...more] = one.ids.map((number) => calls(`c${number}`));
          context.push({ role: 'assistant', content: [first, ...more].flatMap((message) => message?.content ?? []) });
          for (const number of one.whole ? one.ids : one.results) context.push(result(`c${number}`, one.words));
        } else if (one.type === 'system') context.push({ role: 'system', content: 'note '.repeat(one.words) } as never);
        else if (one.type === 'says') context.push({ role: 'assistant', content: 'text '.repeat(one.words) });
        else context.push(person('text '.repeat(one.words)));
        if (endsWithAnswer(context.entries)) continue;
        const request = await context.request(summarises).catch((error: unknown) => waiting(error));
        if (request === undefined) continue;
        expect(refusalOf(request)).toBeUndefined();
        expect(missing(context.entries, request, 3)).toEqual([]);
      }
      compactions += context.receipts.filter((receipt) => receipt.outcome === 'compacted').length;
    };
    await fc.assert(fc.asyncProperty(fc.array(move, { minLength: 32, maxLength: 32 }), run), {
      ...propertyRuns(18),
      endOnFailure: true,
    });
    expect(compactions).toBeGreaterThan(0);
  });
});

/** Then there is nothing to ask for; a result without a call is nothing. */
function endsWithAnswer(entries: Awaited<ReturnType<typeof open>>['entries']): boolean {
  const last = entries.findLast((entry) => entry.type === 'message' && entry.origin !== 'tools');
  return (
    last?.type === 'message' && last.origin === 'model' && last.message.content.every(({ type }) => type === 'text')
  );
}

/** A request may wait for two things only: results, and the first message. */
function waiting(error: unknown): undefined {
  if (!(error instanceof HarnessError)) throw error;
  if (error.code === 'usage' && error.message.includes('has no result yet')) return undefined;
  if (error.code === 'protocol_violation' && /no_messages|first_not_user/.test(error.message)) return undefined;
  throw error;
}

/** Calls, results and texts of the latest steps that are not in the request. */
function missing(
  entries: Awaited<ReturnType<typeof open>>['entries'],
  request: MessagesRequest,
  steps: number,
): string[] {
  const units = splitSteps(entries).filter(({ kind }) => kind === 'step');
  const sent = JSON.stringify(request.messages);
  const latest = units.slice(-steps).flatMap((unit) => unit.entries);
  const used = new Set(
    latest.flatMap(({ message }) => message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))),
  );
  return latest.flatMap((entry) =>
    entry.message.content.flatMap((block) => {
      if (block.type === 'tool_result') {
        const text = JSON.stringify(block.content);
        return used.has(block.tool_use_id) && !sent.includes(text) && isFirstResult(latest, block) ? [text] : [];
      }
      const text = block.type === 'text' ? JSON.stringify(block.text) : JSON.stringify(block).slice(1, -1);
      return sent.includes(text) || entry.origin === 'reminder' ? [] : [text];
    }),
  );
}

/** Only the first result right behind its call counts. */
function isFirstResult(
  latest: readonly { message: { role: string; content: readonly object[] } }[],
  block: object,
): boolean {
  const place = latest.findIndex(({ message }) => message.content.includes(block));
  const before = latest.slice(0, place).map(({ message }) => message);
  const call = before.findLastIndex(({ role }) => role === 'assistant');
  const between = before.slice(call + 1).flatMap(({ content }) => content);
  const wanted = Reflect.get(block, 'tool_use_id');
  const asked = before[call]?.content.some((one) => Reflect.get(one, 'id') === wanted) === true;
  return (
    asked && !between.some((one) => Reflect.get(one, 'tool_use_id') === wanted || Reflect.get(one, 'type') === 'text')
  );
}

async function filled(more: Parameters<typeof open>[0] = {}) {
  const context = await open(more);
  context.push(person('Read all of it. The ticket is T-77.'));
  for (let step = 1; step <= 12; step += 1) {
    context.push(calls(`c${step}`));
    context.push(result(`c${step}`, 450));
  }
  return context;
}

describe('a compaction', () => {
  test('is made when it is due, says what it did, and carries what people said word for word', async () => {
    const context = await filled();
    const asked: MessagesRequest[] = [];
    const request = await context.request((one) => (asked.push(one), summarises()));
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0]?.messages.at(-1))).toContain('<compaction_request>');
    expect(asked[0]?.tools).toHaveLength(1);
    expect(context.receipts).toMatchObject([
      { outcome: 'compacted', reason: 'threshold', policy: 'demo', costUsd: expect.any(Number) },
    ]);
    expect(JSON.stringify(request.messages[0])).toContain('T-77');
    expect(await context.request(never)).toEqual(request);
  });

  test('that is refused is a receipt too, and the old view stays', async () => {
    const context = await filled();
    const request = await context.request(() =>
      Promise.resolve(answer([{ type: 'text', text: 'Nothing.' }], 'end_turn')),
    );
    expect(context.receipts.map((receipt) => receipt.outcome)).toContain('refused');
    expect(refusalOf(request)).toBeUndefined();
  });

  test('whose call fails as clients fail is a refusal with its cause; a mistake of the program is none of ours to hide', async () => {
    const context = await filled();
    await context.request(() => Promise.reject(Object.assign(new Error('Overloaded'), { status: 529 })));
    expect(context.receipts[0]).toMatchObject({ outcome: 'refused', cause: 'transport' });
  });

  test('can be asked for, as after an answer that did not fit', async () => {
    const context = await open();
    for (let step = 1; step <= 6; step += 1) {
      context.push(step === 1 ? person('Go.') : result(`c${step - 1}`, 300));
      context.push(calls(`c${step}`));
    }
    context.push(result('c6'));
    await context.request(never);
    await context.request(summarises, { force: true });
    expect(context.receipts).toMatchObject([{ outcome: 'compacted' }]);
  });

  test('is cheaper after a pause in which the prompt cache expired, and is then made earlier', async () => {
    let now = Date.parse('2026-11-20T08:00:00Z');
    const context = await open({ now: () => new Date(now) });
    context.push(person('Go.'));
    for (let step = 1; step <= 6; step += 1) {
      context.push(calls(`c${step}`));
      context.push(result(`c${step}`, 450));
    }
    await context.request(never);
    now += 3_600_000;
    context.push(person('Good morning. Go on.'));
    await context.request(summarises);
    expect(context.receipts).toMatchObject([{ reason: 'cold' }]);
  });
});

describe('a session', () => {
  test('that is saved goes on elsewhere with the same request, and its lines are a transcript', async () => {
    const context = await filled();
    const before = await context.request(summarises);
    const lines: string[] = [];
    const other = await open({ onEntry: (entry) => lines.push(entry.id) });
    other.load(context.save());
    expect(await other.request(never)).toEqual(before);
    other.push(person('And then?'));
    expect(lines).toEqual([`e${context.entries.length + 1}`]);
    other.load(`${context.save()}{"version":1,"id":"e9`);
    expect(other.entries).toHaveLength(context.entries.length);
    expect(() => other.load('{"version":1}\n')).toThrow(expect.objectContaining({ code: 'data_corrupt' }));
    expect(other.entries).toHaveLength(context.entries.length);
  });

  test('that goes on with another system prompt loses the thinking that was bound to the old one', async () => {
    const context = await open();
    context.push(person('Go.'));
    const thinking = { type: 'thinking' as const, thinking: 'hm', signature: 'sig' };
    context.push({ role: 'assistant', content: [thinking, ...calls('c1').content] });
    context.push(result('c1'));
    expect(JSON.stringify(await context.request(never))).toContain('"signature"');
    const other = await open({ system: 'You write.' });
    other.load(context.save());
    const request = await other.request(never);
    expect(JSON.stringify(request)).not.toContain('"signature"');
    expect(other.entries.at(-1)).toMatchObject({ origin: 'reminder', dropsThinking: true });
    expect(await other.request(never)).toEqual(request);
  });

  test('counts what an answer was billed, and recalls an entry in whole', async () => {
    const context = await open();
    context.push(person('Go.'));
    await context.request(never);
    context.push(answer(calls('c1').content, 'tool_use'));
    expect(context.entries.at(-1)).toMatchObject({ response: { usage: { input_tokens: 3000 }, view: 'e0' } });
    expect(context.recall('e1')).toBe('[#e1] human: Go.');
    expect(context.recall('e99')).toBeUndefined();
  });
});

describe('what is wrong is said', () => {
  test('a call without its result, two requests at once, an unknown policy or model, a window that is too small', async () => {
    const context = await filled();
    context.push(calls('c99'));
    await expect(context.request(never)).rejects.toMatchObject({
      code: 'usage',
      details: { call: 'c99', tool: 'read' },
    });
    context.push(result('c99'));
    const first = context.request(summarises);
    await expect(context.request(summarises)).rejects.toMatchObject({ code: 'usage' });
    await first;
    const shape = messagesApi([read]);
    await expect(openContext({ policy: 'none', model: MODEL, shape })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    await expect(openContext({ model: 'gpt-none', shape })).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(openContext({ policy: 'native', model: MODEL, shape })).rejects.toThrow(/betaMessagesApi/);
    for (const wrong of ['hello', undefined, null])
      expect(() => context.push(wrong as never)).toThrow(/Push a message/);
    await expect(openContext({ shape } as never)).rejects.toThrow(/needs a `model`/);
    await expect(openContext({ model: { id: 'x' }, shape } as never)).rejects.toThrow(/needs a `model`/);
    await expect(openContext({ model: MODEL } as never)).rejects.toThrow(/needs a `shape`/);
    const small = { id: 'small', window: 8000, maxOutput: 4000 };
    await expect(openContext({ model: small, shape })).rejects.toMatchObject({ code: 'context_overflow' });
  });

  test('an abort ends the wait for a summary, also where the client goes on', async () => {
    const context = await filled();
    const stop = new AbortController();
    const made = context.request(() => new Promise(() => undefined), { signal: stop.signal });
    stop.abort(new Error('stopped by the user'));
    await expect(made).rejects.toThrow('stopped by the user');
    expect(context.receipts).toEqual([]);
  });
});

test('a folder of one’s own may hold policies; ids that a provider counts anew are made unique', async () => {
  const folder = await scratch();
  const tool = { type: 'function' as const, function: { name: 'read' } };
  const context = await openContext({
    ...{ folder, policy: 'demo', trigger: { tokens: 9000 }, maxTokens: 4000 },
    ...{ model: { id: 'any', window: 128_000, maxOutput: 8000 }, shape: chatCompletions([tool]) },
  });
  const chat = (content: string | null, more: object = {}, prompt = 1000): ChatAnswer => ({
    model: 'any',
    choices: [
      { finish_reason: content === null ? 'tool_calls' : 'stop', message: { role: 'assistant', content, ...more } },
    ],
    usage: { prompt_tokens: prompt, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } },
  });
  const asked: ChatRequest[] = [];
  const call = (request: ChatRequest) => {
    asked.push(request);
    return Promise.resolve(chat(`<compact_summary>${SUMMARY}</compact_summary>`));
  };
  context.push({ role: 'user', content: 'Go.' });
  for (let step = 0; step < 12; step += 1) {
    const request = await context.request(call);
    const uses = [{ id: 'call_0', type: 'function', function: { name: 'read', arguments: `{"file_path":"${step}"}` } }];
    context.push(chat(null, { tool_calls: uses }, JSON.stringify(request).length / 4));
    context.push({ role: 'tool', tool_call_id: 'call_0', content: `${step} ${'word '.repeat(700)}` });
  }
  const { messages } = await context.request(call);
  expect(asked.length).toBeGreaterThan(0);
  expect(context.receipts).toMatchObject([{ outcome: 'compacted' }]);
  const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
  expect(new Set(ids).size).toBe(ids.length);
  expect(JSON.stringify(messages)).not.toContain('No result was recorded');
});

describe('takeBack', () => {
  test('takes the last push back, with its calls and their names; the conversation goes on as if it had not been', async () => {
    const stored: string[] = [];
    const [context, plain] = [await open({ onEntry: (entry) => stored.push(JSON.stringify(entry)) }), await open()];
    for (const one of [context, plain]) {
      one.push(person('Read on.'));
      one.push(calls('a'));
      one.push(result('a'));
    }
    context.push(
      answer(
        [
          { type: 'text', text: 'Wrong.' },
          { type: 'tool_use', id: 'b', name: 'read', input: {} },
        ],
        'tool_use',
      ),
    );
    await expect(context.request(never)).rejects.toMatchObject({ code: 'usage' });
    context.takeBack();
    context.push(person('Stop.'));
    context.takeBack();
    const texts = (one: typeof context) => one.entries.map((entry) => ({ ...entry, at: '' }));
    expect(texts(context)).toEqual(texts(plain));
    for (const one of [context, plain]) {
      one.push(calls('b'));
      one.push(result('b'));
    }
    const request = await context.request(never);
    expect(request.messages).toEqual((await plain.request(never)).messages);
    expect(JSON.stringify(request)).toContain('"id":"b"');
    // The entries that were stored one by one are the same conversation, and so is what was saved.
    for (const saved of [stored.join('\n'), context.save()]) {
      const loaded = await open();
      loaded.load(saved);
      expect(texts(loaded)).toEqual(texts(context));
      expect(() => loaded.takeBack()).toThrow('Nothing was pushed');
    }
  });

  test('a rule is taken back as well, and nothing before the first push', async () => {
    const context = await open();
    expect(() => context.takeBack()).toThrow('Nothing was pushed');
    context.push(person('Read on.'));
    context.push('Be brief.', 'rule');
    expect(JSON.stringify(await context.request(never))).toContain('Be brief.');
    context.takeBack();
    expect(JSON.stringify(await context.request(never))).not.toContain('Be brief.');
    context.takeBack();
    expect(context.entries).toEqual([]);
  });
});
