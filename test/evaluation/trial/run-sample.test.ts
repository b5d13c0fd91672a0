import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../../src/errors.ts';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { modelConversation } from '../../../src/evaluation/trial/trial-participants.ts';
import { runSample, type RunSampleInput, type SampleRun } from '../../../src/evaluation/trial/run-sample.ts';
import type { Subject } from '../../../src/evaluation/trial/subject-turn.ts';
import type { ModelRequest } from '../../../src/ports/model.ts';
import { TraceLine } from '../../../src/scenario/trace.ts';
import type { Block, StopReason } from '../../../src/transcript/message.ts';
import { call, facts, response, say } from '../../support/responses.ts';
import { scriptedModel, type ScriptedAnswer } from '../../support/scripted-model.ts';
import { lampsDesign, lampsFolder, trustedSandbox, turnOn } from '../lamps.ts';

/** `requests` are without the cache marks on messages and tools, `sent` with them. */
type Done = { run: SampleRun; lines: TraceLine[]; requests: ModelRequest[]; sent: ModelRequest[] };

async function play(
  answers: ScriptedAnswer[],
  more: Omit<Partial<RunSampleInput>, 'subject'> & { files?: object; subject?: Subject } = {},
): Promise<Done> {
  const { files, subject: given, ...changed } = more;
  const dir = await lampsFolder({ ...files });
  const sandbox = trustedSandbox();
  const { components } = await loadComponents(dir, sandbox, new AbortController().signal);
  const loaded = components.samples.find(({ sample }) => sample.id === 'turn-on');
  if (loaded === undefined) throw new Error('turn-on did not load');
  const model = scriptedModel(answers);
  const subject = given ?? {
    model: 'test-model',
    prompt: 'You switch lamps.',
    tools: components.tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
    maxTokens: 500,
  };
  const run = await runSample({
    loaded,
    trial: 2,
    subject: 'test-model',
    open: async () => modelConversation(subject, model, facts().price),
    limits: { steps: 6, seconds: 60 },
    stage: {
      tools: new Map(components.tools.map((tool) => [tool.name, tool])),
      session: await sandbox.open(dir),
      worldSchema: lampsDesign().format.world,
    },
    dir,
    inputs: 'abc',
    now: () => 1000,
    durationsOf: (measured) => measured,
    signal: new AbortController().signal,
    ...changed,
  });
  const text = await readFile(join(dir, run.trace), 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => TraceLine.parse(JSON.parse(line)));
  return { run, lines, requests: model.requests.map(unmarked), sent: model.requests };
}

function unmarked(request: ModelRequest): ModelRequest {
  const bare = <Item extends object>(item: Item): Item => ({ ...item, cache_control: undefined });
  const text = JSON.stringify({
    ...request,
    tools: request.tools.map(bare),
    messages: request.messages.map((message) => ({ ...message, content: message.content.map(bare) })),
  });
  return JSON.parse(text) as ModelRequest;
}

const on = (id = 'hall') => call('switch_lamp', { id, on: true }, 'toolu_1');
const resultsIn = (request: ModelRequest | undefined) =>
  (request?.messages.at(-1)?.content ?? []).flatMap((block) => (block.type === 'tool_result' ? [block] : []));

describe('a conversation', () => {
  test('runs tools on the world, lets the user answer, and ends when nothing is asked', async () => {
    const answers = [say('Which ROOM?'), on(), say('The hall lamp is on.')];
    const { run, lines, requests } = await play(answers);
    expect(run.played).toMatchObject({
      stop: 'done',
      after: { lamps: { hall: { on: true } } },
      says: ['Which ROOM?', 'The hall lamp is on.'],
    });
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'It is the hall.' }],
    });
    expect(lines.map(({ type }) => type)).toEqual(['start', 'user', 'says', 'user', 'call', 'says', 'end']);
    expect(lines[4]).toEqual({
      type: 'call',
      step: 2,
      tool: 'switch_lamp',
      input: { id: 'hall', on: true },
      output: { ok: true },
      is_error: false,
      change: [{ op: 'replace', path: '/lamps/hall/on', value: true }],
    });
    expect(lines.at(-1)).toMatchObject({ type: 'end', stop: 'done', final: 'The hall lamp is on.', calls: 1 });
  });

  test('the request holds the prompt with a cache mark, the tools, and the conversation so far', async () => {
    const { requests } = await play([on(), say('Done.')], {});
    expect(requests[0]).toEqual({
      model: 'test-model',
      system: [{ type: 'text', text: 'You switch lamps.', cache_control: { type: 'ephemeral' } }],
      tools: [expect.objectContaining({ name: 'read_lamp' }), expect.objectContaining({ name: 'switch_lamp' })],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'It is dark here.' }] }],
      max_tokens: 500,
    });
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('a conversation that grows is cached: four marks at most, where the last call wrote and where the next one reads', async () => {
    const { sent } = await play([say('Which ROOM?'), on(), say('Done.')]);
    for (const { messages, system, tools } of sent) {
      const marks = [...system, ...tools, ...messages.flatMap(({ content }) => content)].flatMap(
        (part) => part.cache_control ?? [],
      );
      expect(marks.length).toBeLessThanOrEqual(4);
      const places = messages.flatMap(({ content }, place) =>
        content.at(-1)?.cache_control === undefined ? [] : [place],
      );
      const answer = messages.findLastIndex(({ role }) => role === 'assistant');
      expect(places).toEqual(answer === -1 ? [messages.length - 1] : [answer - 1, messages.length - 1]);
    }
    expect(sent).toHaveLength(3);
  });

  test('thinking goes back unchanged, empty texts do not, and is asked for where the model needs it', async () => {
    const thinking: Block[] = [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: '\n' },
      ...on().content,
    ];
    const subject = { model: 'm', prompt: 'p', tools: [], maxTokens: 1, thinking: 'adaptive' as const };
    const { requests } = await play([response(thinking, 'tool_use'), say('Done.')], { subject });
    expect(requests[1]?.messages[1]?.content).toEqual(thinking.filter(({ type }) => type !== 'text'));
    expect(requests[0]?.thinking).toEqual({ type: 'adaptive' });
  });

  test('parallel calls run in order on one world and are answered in one message', async () => {
    const both = response(
      [
        { type: 'tool_use', id: 'toolu_a', name: 'switch_lamp', input: { id: 'hall', on: true } },
        { type: 'tool_use', id: 'toolu_b', name: 'read_lamp', input: { id: 'hall' } },
      ],
      'tool_use',
    );
    const { requests } = await play([both, say('On.')]);
    expect(resultsIn(requests[1])).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_a', content: '{"ok":true}', is_error: false },
      { type: 'tool_result', tool_use_id: 'toolu_b', content: '{"on":true}', is_error: false },
    ]);
  });

  test('usage and cost are those of all responses', async () => {
    const { run, lines } = await play([on(), say('On.')]);
    expect(lines.at(-1)).toMatchObject({ usage: { input_tokens: 200, output_tokens: 20 } });
    expect(run.costUsd).toBeCloseTo((200 * 1 + 20 * 5) / 1_000_000, 12);
  });

  test('the durations on disk are those that are given for the measured ones', async () => {
    const { run, lines } = await play([say('Done.')], {
      durationsOf: async (measured) => measured.map((ms) => ms + 7),
    });
    expect(run.durationMs).toBe(7);
    expect(lines.at(-1)).toMatchObject({ durationMs: 7, answers: [{ durationMs: 7, in: 100, out: 10, usd: 0.00015 }] });
  });
});

describe('a call that fails', () => {
  const failing: [string, ScriptedAnswer, string, object?][] = [
    ['bad_input', call('switch_lamp', { id: 'hall' }), 'The input does not fit the tool: /on: it is missing'],
    ['unknown_tool', call('paint', {}), 'There is no tool "paint". There are: read_lamp, switch_lamp.'],
    ['threw', on(), 'The tool failed: Error: stuck', { 'lamp.on = on;': 'throw new Error("stuck");' }],
    ['bad_output', on(), 'it answered nothing', { 'return { ok: true };': '' }],
    [
      'bad_output',
      on(),
      'left a world that does not fit format_spec.yaml: /lamps/hall/on',
      { 'lamp.on = on;': 'lamp.on = 1;' },
    ],
    ['bad_output', on(), '__proto__', { 'lamp.on = on;': 'return JSON.parse(`{"__proto__":1}`);' }],
  ];
  test.each(failing)(
    'with %s is an error result, changes nothing, and the conversation goes on',
    async (error, answer, text, edit = {}) => {
      const [from = '', to = ''] = Object.entries(edit)[0] ?? [];
      const base = await readFile(join(await lampsFolder(), 'tools/switch_lamp.mjs'), 'utf8');
      const files = { 'tools/switch_lamp.mjs': base.replace(from, String(to)) };
      const { run, lines, requests } = await play([answer, say('Sorry.')], { files });
      expect(resultsIn(requests[1])).toEqual([
        expect.objectContaining({ is_error: true, content: expect.stringContaining(text) }),
      ]);
      expect(lines.find(({ type }) => type === 'call')).toMatchObject({ error, is_error: true, change: [] });
      expect(run.played.after).toEqual(run.played.before);
      expect(run.played.stop).toBe('done');
    },
  );
});

describe('the end', () => {
  test('by its steps, with the last calls still run', async () => {
    const answers = Array.from({ length: 3 }, (_, index) => call('read_lamp', { id: 'hall' }, `toolu_${index}`));
    const { run, requests } = await play(answers, { limits: { steps: 3, seconds: 60 } });
    expect(run.played).toMatchObject({ stop: 'steps', calls: { length: 3 } });
    expect(requests).toHaveLength(3);
  });

  test("by its seconds; the sample's own limits win", async () => {
    let at = 0;
    const now = () => (at += 600);
    const files = { 'samples/turn-on.json': { ...turnOn, limits: { seconds: 2, steps: 100 } } };
    const answers = Array.from({ length: 9 }, (_, index) => call('read_lamp', { id: 'hall' }, `toolu_${index}`));
    const { run, requests } = await play(answers, { now, files });
    expect(run.played.stop).toBe('seconds');
    expect(requests.length).toBeLessThan(4);
    const hanging = await play([() => new Promise(() => undefined)], { limits: { steps: 3, seconds: 0.01 } });
    expect(hanging.run).toMatchObject({ played: { stop: 'seconds' }, detail: 'the model did not answer in time' });
  });

  test.each<[StopReason, Block[], string, number]>([
    ['refusal', [], 'refusal', 0],
    ['max_tokens', on().content, 'cut', 0],
    ['model_context_window_exceeded', [{ type: 'text', text: 'half a' }], 'cut', 0],
    ['compaction', [], 'infrastructure', 0],
    ['end_turn', [], 'done', 0],
    ['stop_sequence', [{ type: 'text', text: 'room?' }], 'done', 0],
  ])('after the stop reason %s no call is run', async (stopReason, content, stop, calls) => {
    const { run } = await play([response(content, stopReason), say('Bye.')]);
    expect(run.played).toMatchObject({ stop, calls: { length: calls } });
  });

  test('a paused turn is taken up again as it stands', async () => {
    const { requests, run } = await play([response([{ type: 'text', text: 'wait' }], 'pause_turn'), say('Done.')]);
    expect(requests[1]?.messages.at(-1)?.role).toBe('assistant');
    expect(run.played).toMatchObject({ stop: 'done', says: ['wait', 'Done.'] });
  });

  test.each(['model_unavailable', 'model_refused'] as const)(
    'a model that answers %s leaves the trial unscored',
    async (code) => {
      const { run, lines } = await play([on(), new HarnessError(code, 'overloaded')]);
      expect(run).toMatchObject({
        played: { stop: 'infrastructure', calls: { length: 1 } },
        detail: `${code}: overloaded`,
      });
      expect(lines.at(-1)).toMatchObject({ type: 'end', stop: 'infrastructure', detail: `${code}: overloaded` });
    },
  );

  test('a server of tools that is gone leaves it unscored; any other outage goes on upwards', async () => {
    const failing = (details: object) => {
      const error = new HarnessError('infrastructure', 'gone', { retryable: true, details: { ...details } });
      const session = { call: () => Promise.reject(error), askAll: async () => [], close: async () => undefined };
      const tools = new Map([
        ['read_lamp', { name: 'read_lamp', description: 'x', input_schema: { type: 'object' as const }, examples: [] }],
      ]);
      return play([call('read_lamp', { id: 'hall' }, 'toolu_1')], {
        stage: { tools, session, worldSchema: undefined },
      });
    };
    const { run } = await failing({ server: 'stock' });
    expect([run.played.stop, run.detail]).toEqual(['infrastructure', 'gone']);
    await expect(failing({})).rejects.toMatchObject({ code: 'infrastructure' });
  });

  test('a spent budget and an abort go on upwards', async () => {
    await expect(play([new HarnessError('budget_exceeded', 'no money')])).rejects.toThrow('no money');
    const controller = new AbortController();
    const abortNow = () => {
      queueMicrotask(() => controller.abort(new Error('enough')));
      return new Promise<never>(() => undefined);
    };
    await expect(play([abortNow], { signal: controller.signal })).rejects.toThrow('enough');
  });
});
