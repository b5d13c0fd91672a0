/** The bytes of a trial's model calls: packed once, unpacked byte for byte, and refused when they are not what was recorded. */
import { expect, test } from 'vitest';
import { readCalls } from '../../../src/evaluation/trial/read-calls.ts';
import { recordCalls } from '../../../src/evaluation/trial/record-calls.ts';
import type { ParticipantSources } from '../../../src/evaluation/trial/trial-participants.ts';
import type { WireExchange, Model } from '../../../src/ports/model.ts';
import type { SubjectHost } from '../../../src/ports/subject.ts';
import { lampsBrief } from '../lamps.ts';
import { recordedCalls } from '../../support/recorded-calls.ts';
import { facts, say } from '../../support/responses.ts';

const REQUEST = { model: 'm', system: [], tools: [], messages: [], max_tokens: 1 };
const { signal } = new AbortController();
const exchange = (request: string, answer: string | Uint8Array = 'ok', status = 200): WireExchange => ({
  ...{ request, status },
  answer: typeof answer === 'string' ? Buffer.from(answer) : answer,
});
const texts = (calls: ReturnType<typeof readCalls>) =>
  calls.map(({ tries }) => tries.map(({ request, answer }) => [request.toString(), answer.toString()]));

test('a conversation that grows is stored once and comes back byte for byte, whatever is in it', async () => {
  const prompt = 'You are the desk of a shop. '.repeat(400);
  // Pieces may begin and end within a character, and an answer need be no text at all.
  const said = ['ä', 'ö', '😀', '😁', '\u202e'];
  const sent = said.map((_, index) => JSON.stringify({ messages: said.slice(0, index + 1), system: prompt }));
  const packed = await recordedCalls(sent.map((text) => [exchange(text, Buffer.from([0xff, 0xc3, 0x28]))]));
  if (packed === undefined) throw new Error('nothing was recorded');
  const read = readCalls(packed, 'x');
  expect(texts(read).map(([first]) => first?.[0])).toEqual(sent);
  expect(read[0]?.tries[0]?.answer).toEqual(Buffer.from([0xff, 0xc3, 0x28]));
  const stored = packed.calls.map(
    ({ tries: [one] }) => (one?.request.bytes ?? 0) - (one?.request.head ?? 0) - (one?.request.tail ?? 0),
  );
  expect(stored[0]).toBeGreaterThan(prompt.length);
  for (const bytes of stored.slice(1)) expect(bytes).toBeLessThan(10);
});

test('tries, a call that sent nothing, and the parties that take turns are told apart', async () => {
  const packed = await recordedCalls([[exchange('a', '', 529), exchange('a', 'yes')], [], [exchange('ab')]]);
  expect(packed?.calls.map(({ step, tries }) => [step, tries.map(({ status }) => status)])).toEqual([
    [1, [529, 200]],
    [2, []],
    [3, [200]],
  ]);
  expect(packed && texts(readCalls(packed, 'x'))).toEqual([
    [
      ['a', ''],
      ['a', 'yes'],
    ],
    [],
    [['ab', 'ok']],
  ]);
  expect(await recordCalls().done()).toBeUndefined();
});

test('subject, user and graders are heard, and what each says is compared with its own request before', async () => {
  const recorder = recordCalls();
  const model = (of: string): Model => ({
    call: async (_request, _signal, terms) => {
      terms?.onExchange?.(exchange(`${of} says the same again`));
      return say('Done.');
    },
  });
  const by = { name: 'm', price: facts().price, maxTokens: 1, prompt: '' };
  const sources: ParticipantSources = {
    ...{ brief: lampsBrief(), price: facts().price, modelFor: () => model('subject') },
    userModel: { ...by, modelFor: () => model('user') },
    grading: {
      prompts: { grader: '', grader_void: '', grader_order: '', grader_padding: '' },
      modelOf: async () => ({ ...by, modelFor: () => model('tone') }),
      counts: () => true,
    },
  };
  const over = recorder.over(sources);
  const tone = { id: 'tone', question: 'q', pass_when: 'p', fail_when: 'f' } as unknown as Parameters<
    NonNullable<ParticipantSources['grading']>['modelOf']
  >[0];
  for (let round = 0; round < 2; round += 1) {
    await (await over.modelFor('subject/x.1')).call(REQUEST, signal);
    await (await over.userModel?.modelFor('user/x.1'))?.call(REQUEST, signal);
  }
  await (await (await over.grading?.modelOf(tone))?.modelFor('grader/tone/x.1'))?.call(REQUEST, signal);
  const packed = await recorder.done();
  expect(packed?.calls.map((call) => [call.by, call.step])).toEqual([
    ['subject', 1],
    ['user', 1],
    ['subject', 2],
    ['user', 2],
    ['grader tone', 2],
  ]);
  expect(packed?.calls[3]?.tries[0]?.request.head).toBe('user says the same again'.length);
  expect(packed && texts(readCalls(packed, 'x')).flat(2)).toContain('tone says the same again');
});

test('a subject that is no model is heard turn by turn, its opening with the first', async () => {
  const recorder = recordCalls();
  const host: SubjectHost = {
    open: async ({ onExchange }) => ({
      next: async (input) => {
        onExchange?.(exchange(JSON.stringify(input)));
        return { says: 'Done.', calls: [], usage: say('').usage, costUsd: 0 };
      },
      close: async () => undefined,
    }),
  };
  const over = recorder.over({
    brief: lampsBrief(),
    price: facts().price,
    modelFor: () => ({ call: async () => say('') }),
    host,
  });
  const talk = await over.host?.open({ prompt: 'p', tools: [] });
  await talk?.next({ type: 'user', text: 'one' }, 1000, signal);
  await talk?.next({ type: 'user', text: 'two' }, 1000, signal);
  const packed = await recorder.done();
  expect(packed?.calls.map(({ by, step, tries }) => [by, step, tries.length])).toEqual([
    ['subject', 1, 1],
    ['subject', 2, 1],
  ]);
});

test.each([
  ['other bytes', (packed: Packed) => ({ ...packed, zstd: '' })],
  [
    'bytes of another file',
    async (packed: Packed) => ({ ...packed, zstd: (await recordedCalls([[exchange('other')]]))?.zstd ?? '' }),
  ],
  ['more of the request before than there is', (packed: Packed) => changed(packed, { head: 9_999 })],
  ['another digest', (packed: Packed) => changed(packed, { sha256: '0'.repeat(64) })],
])('%s are refused', async (_name, change) => {
  const packed = await recordedCalls([[exchange('one')], [exchange('one two')]]);
  if (packed === undefined) throw new Error('nothing was recorded');
  const forged = await change(packed);
  expect(() => readCalls(forged, 'traces/x.1.calls.json')).toThrow(/^traces\/x\.1\.calls\.json/);
});

type Packed = NonNullable<Awaited<ReturnType<typeof recordedCalls>>>;

function changed(packed: Packed, part: object): Packed {
  const calls = packed.calls.map((call) => ({
    ...call,
    tries: call.tries.map((one) => ({ ...one, request: { ...one.request, ...part } })),
  }));
  return { ...packed, calls };
}
