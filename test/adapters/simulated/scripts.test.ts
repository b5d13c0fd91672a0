/** What the scripts answer: which turn, which step, which summary; and what they refuse (docs/internals/simulation.md). */
import { describe, expect, test } from 'vitest';
import type { ScriptInput } from '../../../src/adapters/simulated/scripts/script.ts';
import { type Simulator } from '../../../src/adapters/simulated/start.ts';
import { ask, assistant, carryOn, type Json, post, type Reply, result, use, user, withSimulator } from './wire.ts';

const tool = (name: string): Json => ({ name, input_schema: { type: 'object' } });
const TOOLS = ['read', 'write', 'submit', 'list'].map(tool);
const BASE = { model: 'claude-opus-5-5', max_tokens: 4000, system: 'You are Execute. R8 applies.', tools: TOOLS };

const read = (file_path: string) => ({ tool: 'read', input: { file_path } });
const write = (file_path: string, content = 'x') => ({ tool: 'write', input: { file_path, content } });
const submit = { tool: 'submit', input: {} };

const EXECUTE: ScriptInput = {
  version: 1,
  who: 'execute',
  match: { system_includes: 'You are Execute' },
  turns: [
    {
      name: 'first',
      marker: '<task round="1"',
      steps: [
        { say: 'I start.', calls: [read('rules')] },
        { calls: [write('a'), write('b')] },
        { calls: [submit], expects: 'written' },
        { calls: [write('a', 'better')] },
        { calls: [submit] },
        { say: 'Iteration 1 is evaluated.' },
        { say: 'You are welcome.' },
      ],
      summary: {
        state: 'Under way {{cite:task}}.',
        facts: ['a is written {{cite:a}}', { b: 'unknown{{cite:nowhere}}' }],
        n: 1,
      },
    },
    { name: 'second', marker: '<task round="2"', steps: [{ calls: [read('rules')] }, { say: 'Two.' }] },
    { name: 'retired rule', marker: 'about R8', system_excludes: 'R8 applies', steps: [{ say: 'No such rule.' }] },
    { name: 'rule', marker: 'about R8', system_includes: 'R8 applies', steps: [{ say: 'It applies.' }] },
    { name: 'hello', marker: 'hello', unless: 'secret', steps: [{ say: 'Hello.' }] },
    { name: 'hello again', marker: 'hello agai', steps: [{ say: 'Again.' }] },
    { name: 'pair', marker: 'pair', steps: [{ say: 'Pair.' }, { calls: [submit, submit] }, { say: 'Paired.' }] },
    { name: 'twin one', marker: 'twin', steps: [{ say: 'One.' }] },
    { name: 'twin two', marker: 'twin', steps: [{ say: 'Two.' }] },
    { name: 'no such tool', marker: 'bash it', steps: [{ calls: [{ tool: 'bash' }] }] },
    { name: 'no folder', marker: 'from a file', steps: [{ calls: [{ tool: 'write', content_file: 'f' }] }] },
  ],
};

const TASK = '<task round="1" dir="out">Build it.</task>';

const play = <Value>(run: (simulator: Simulator) => Promise<Value>): Promise<Value> =>
  withSimulator({ scripts: [EXECUTE] }, run);
const answer = (simulator: Simulator, messages: Json[], more: Json = {}): Promise<Reply> =>
  ask(simulator, { ...BASE, ...more, messages });
const said = (reply: Reply): unknown => reply.content.find(({ type }) => type === 'text')?.['text'];
const where = (simulator: Simulator): unknown => {
  const { who, turn, step } = simulator.requests.at(-1) ?? {};
  return [who, turn, step];
};
const refusal = async (simulator: Simulator, messages: Json[], more: Json = {}): Promise<string> => {
  const { status, body, record } = await post(simulator, { ...BASE, ...more, messages });
  expect({ status, body, rule: record?.rule }).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error' } },
    rule: 'script',
  });
  return record?.refusal ?? '';
};

/** One step of history: the calls with results, under ids of their own. */
let ids = 0;
function step(...calls: { tool: string; input: Json }[]): Json[] {
  const made = calls.map((call) => ({ ...call, id: `h${(ids += 1)}` }));
  return [
    assistant(...made.map(({ id, tool: name, input }) => ({ ...use(id, input), name }))),
    user(...made.map(({ id }) => result(id, 'written'))),
  ];
}
const compacted = (ledger: string[], task = TASK): Json[] => [
  user(
    `<compaction_request>Summarise.</compaction_request>\n<carried_task id="e1">${task}</carried_task>\n<file_ledger>\n${ledger.join('\n')}\n</file_ledger>`,
  ),
  assistant('<compact_summary>{"state":"I start. Iteration 1 is evaluated."}</compact_summary>'),
  user('The latest steps follow.'),
];

describe('a turn', () => {
  test('is played step by step to its end, and goes on when the user speaks again', () =>
    play(async (simulator) => {
      const messages = [user(TASK)];
      const steps: unknown[] = [];
      for (let count = 0; count < 6; count += 1) {
        messages.push(...carryOn(await answer(simulator, messages), 'written'));
        steps.push(simulator.requests.at(-1)?.step);
      }
      expect(steps).toEqual([1, 2, 3, 4, 5, 6]);
      expect(said(await answer(simulator, [...messages, user('Thanks.')]))).toBe('You are welcome.');
      expect(where(simulator)).toEqual(['execute', 'first', 7]);
    }));

  test('is the one whose marker stands latest in the user text; tool results are not user text', () =>
    play(async (simulator) => {
      await answer(simulator, [user(TASK), ...step(read('rules')), user('<task round="2">')]);
      expect(where(simulator)).toEqual(['execute', 'second', 1]);
      const quoted = [
        user(TASK),
        assistant({ ...use('q', { file_path: 'rules' }) }),
        user(result('q', '<task round="2"')),
      ];
      await answer(simulator, quoted);
      expect(where(simulator)).toEqual(['execute', 'first', 2]);
    }));

  test('counts only what follows its marker', () =>
    play(async (simulator) => {
      const messages = [user(TASK), ...step(read('rules')), user('<task round="2">')];
      await answer(simulator, messages);
      expect(where(simulator)).toEqual(['execute', 'second', 1]);
      expect(said(await answer(simulator, [...messages, ...step(read('rules'))]))).toBe('Two.');
    }));

  test('is chosen by unless, by the system text, and by the longer of two markers', () =>
    play(async (simulator) => {
      expect(said(await answer(simulator, [user('hello')]))).toBe('Hello.');
      expect(said(await answer(simulator, [user('hello again')]))).toBe('Again.');
      expect(await refusal(simulator, [user('hello, secret')])).toMatch(/^simulation script: no turn is meant/);
      expect(said(await answer(simulator, [user('about R8')]))).toBe('It applies.');
      expect(said(await answer(simulator, [user('about R8')], { system: 'You are Execute.' }))).toBe('No such rule.');
    }));
});

describe('a step', () => {
  test('may stand twice in a turn: each visible call proves one of them', () =>
    play(async (simulator) => {
      const before = [user(TASK), ...step(read('rules')), ...step(write('a'), write('b'))];
      await answer(simulator, [...before, ...step(submit)]);
      expect(where(simulator)).toEqual(['execute', 'first', 4]);
      await answer(simulator, [...before, ...step(submit), ...step(write('a', 'better')), ...step(submit)]);
      expect(where(simulator)).toEqual(['execute', 'first', 6]);
    }));

  test('is done only when all its calls are visible with the values that the script names', () =>
    play(async (simulator) => {
      const start = [user(TASK), ...step(read('rules'))];
      for (const calls of [[write('a')], [write('a'), write('a')], [write('a'), write('b', 'else')]]) {
        await answer(simulator, [...start, ...step(...calls)]);
        expect(where(simulator)).toEqual(['execute', 'first', 2]);
      }
      await answer(simulator, [
        user(TASK),
        ...step({ tool: 'read', input: { file_path: 'rules', view_range: [1, 2] } }),
      ]);
      expect(where(simulator)).toEqual(['execute', 'first', 2]);
    }));

  test('is not done by half of two like calls, nor a saying by words beside a call', () =>
    play(async (simulator) => {
      await answer(simulator, [user('pair'), assistant('Pair.'), user('?'), ...step(submit)]);
      expect(where(simulator)).toEqual(['execute', 'pair', 2]);
      await answer(simulator, [user('pair'), assistant('Pair.'), user('?'), ...step(submit, submit)]);
      expect(where(simulator)).toEqual(['execute', 'pair', 3]);
      await answer(simulator, [user('pair'), assistant('Pair.', use('p', { file_path: 'rules' })), user(result('p'))]);
      expect(where(simulator)).toEqual(['execute', 'pair', 1]);
    }));

  test('is refused when what it expects did not come back, with what was seen', () =>
    play(async (simulator) => {
      const calls = [
        { ...use('w1', write('a').input), name: 'write' },
        { ...use('w2', write('b').input), name: 'write' },
      ];
      const failed = [
        user(TASK),
        ...step(read('rules')),
        assistant(...calls),
        user(result('w1', 'disk full'), result('w2', 'disk full')),
      ];
      const said = await refusal(simulator, failed);
      expect(said).toContain(
        'simulation script: execute, turn "first", step 3: expected "written" in what came back, and saw "disk full\\ndisk full".',
      );
      // Whoever has changed the brief and not the scripts is here first.
      expect(said).toMatch(/they do not fit this scenario\. Change them, or set ANTHROPIC_API_KEY/);
    }));
});

describe('after a compaction', () => {
  test('the ledger says what was done, when no step is left word for word', () =>
    play(async (simulator) => {
      await answer(simulator, compacted(['- rules: read [#e2]']));
      expect(where(simulator)).toEqual(['execute', 'first', 2]);
      await answer(simulator, [
        ...compacted(['- a: wrote [#e4]', '- b: wrote, read [#e5]', '- rules: read']),
        user('written'),
      ]);
      expect(where(simulator)).toEqual(['execute', 'first', 5]);
    }));

  test('the newest visible step says where we are, whatever was hidden', () =>
    play(async (simulator) => {
      const ledger = ['- rules: read [#e2]', '- a: wrote [#e8]', '- b: wrote [#e5]'];
      await answer(simulator, [...compacted(ledger), ...step(write('a', 'better')), ...step(submit)]);
      expect(where(simulator)).toEqual(['execute', 'first', 6]);
      await answer(simulator, [...compacted(ledger), ...step(submit)]);
      expect(where(simulator)).toEqual(['execute', 'first', 6]);
      await answer(simulator, [...compacted(['- rules: read [#e2]']), ...step(submit)]);
      expect(where(simulator)).toEqual(['execute', 'first', 4]);
    }));

  test('a ledger older than the marker says nothing about the turn', () =>
    play(async (simulator) => {
      await answer(simulator, [...compacted(['- rules: read [#e2]']), assistant('ok'), user('<task round="2">')]);
      expect(where(simulator)).toEqual(['execute', 'second', 1]);
    }));
});

describe('a summary', () => {
  const request = (ledger: string): Json =>
    user(
      `<compaction_request>Summarise.</compaction_request><carried_task id="e7">${TASK}</carried_task><file_ledger>\n${ledger}\n</file_ledger>`,
    );

  test('is asked for by the newest user text, and cites the entries that are visible', () =>
    play(async (simulator) => {
      const reply = await answer(simulator, [
        ...compacted(['- a: wrote [#e4]']),
        ...step(write('a', 'better')),
        request('- a: wrote, read [#e14]'),
      ]);
      expect(where(simulator)).toEqual(['execute', 'first', 'summary']);
      expect(reply).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'thinking' }, { type: 'text' }] });
      const [, json = ''] = /^<compact_summary>\n([\s\S]*)\n<\/compact_summary>$/.exec(String(said(reply))) ?? [];
      expect(JSON.parse(json)).toEqual({
        state: 'Under way [#e7].',
        facts: ['a is written [#e14]', { b: 'unknown' }],
        n: 1,
      });
    }));

  test('is bare JSON when the request asks for JSON', () =>
    play(async (simulator) => {
      const format = { output_config: { format: { type: 'json_schema', schema: {} } } };
      expect(
        JSON.parse(String(said(await answer(simulator, [user(TASK), assistant('x'), request('')], format)))),
      ).toMatchObject({ n: 1 });
    }));

  test('is refused by a turn that has none', () =>
    play(async (simulator) => {
      const asked = [user('hello'), assistant('Hello.'), user('<compaction_request>')];
      expect(await refusal(simulator, asked)).toContain(
        'simulation script: execute, turn "hello", summary: a summary is asked for, and the turn has none',
      );
    }));
});

describe('an unforeseen request', () => {
  test('is refused with what was seen: no turn, no script, no step left', () =>
    play(async (simulator) => {
      expect(await refusal(simulator, [user('Something else.')])).toMatch(
        /Scripts that match: execute; .* the newest user text is "Something else."/,
      );
      expect(await refusal(simulator, [user(TASK)], { system: 'A stranger.' })).toMatch(
        /Scripts that match: none; the system text begins "A stranger."/,
      );
      const over = [user('hello'), assistant('Hello.'), user('More?')];
      expect(await refusal(simulator, over)).toMatch(
        /turn "hello": all 1 steps are done, .* the newest one was "Hello./,
      );
    }));

  test('is refused when two turns are meant, a tool is not offered, or a file has no folder', () =>
    play(async (simulator) => {
      expect(await refusal(simulator, [user('twin')])).toMatch(
        /two turns have the marker "twin": "twin one" .* and "twin two"/,
      );
      expect(await refusal(simulator, [user('bash it')])).toMatch(
        /step 1: the tool bash is called, and the request offers read, write/,
      );
      expect(await refusal(simulator, [user('from a file')])).toMatch(
        /content file f of write belongs to a script without a folder/,
      );
      expect(await refusal(simulator, [user(TASK)], { tool_choice: { type: 'none' } })).toMatch(/tool_choice is none/);
      const single = { tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
      expect(await refusal(simulator, [user(TASK), ...step(read('rules'))], single)).toMatch(/one at a time/);
    }));
});

test('the same request gets the same answer, ids and all, from a restarted server', async () => {
  const [first, second] = [
    await play((simulator) => answer(simulator, [user(TASK)])),
    await play((simulator) => answer(simulator, [user(TASK)])),
  ];
  expect(second).toEqual(first);
});

test('faults are counted for each script, and fire once', async () => {
  const faults = [
    { who: 'execute', nth: 2, kind: '529' as const },
    { at: 4, kind: 'empty' as const },
  ];
  await withSimulator({ scripts: [EXECUTE], faults }, async (simulator) => {
    const body = { ...BASE, messages: [user('hello')] };
    const outcomes: unknown[] = [];
    for (let count = 0; count < 5; count += 1) {
      await post(simulator, body);
      outcomes.push(simulator.requests.at(-1)?.fault);
    }
    expect(outcomes).toEqual([undefined, '529', undefined, 'empty', undefined]);
  });
});
