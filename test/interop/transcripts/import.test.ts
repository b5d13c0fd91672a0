/** Recordings of other harnesses become entries that the wire takes, whatever the file holds; complaints name the line. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitRecorded } from '../../../src/context-lab/replay/calibration.ts';
import { view } from '../../../src/context/view/view.ts';
import { isHarnessError } from '../../../src/errors.ts';
import { importTranscript } from '../../../src/interop/transcripts/import.ts';
import { findFault } from '../../../src/transcript/protocol.ts';
import { FIXTURES, readSession } from '../../support/recordings.ts';
import { busyLog } from '../../support/transcripts.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const jsonl = (...lines: unknown[]) => lines.map((line) => JSON.stringify(line)).join('\n');
const shape = (text: string) =>
  importTranscript(text, 'x').entries.map(
    ({ origin, message }) => `${origin}:${message.content.map(({ type }) => type).join('+')}`,
  );
const claude = (type: string, message: object, more: object = {}) => ({
  type,
  sessionId: 's',
  uuid: 'u',
  message,
  ...more,
});

describe('formats', () => {
  test('Claude Code: pieces of one response come together, results go to their calls, sub-agents stay out', () => {
    const text = jsonl(
      { type: 'file-history-snapshot', messageId: 'm' },
      claude('user', { role: 'user', content: 'do it' }, { timestamp: '2026-01-01T00:00:00Z' }),
      claude('assistant', {
        id: 'msg_1',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }],
        usage: { input_tokens: 5, output_tokens: 1 },
      }),
      claude('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'one' }] }),
      claude('assistant', {
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't2', name: 'Read', input: {} }],
        usage: { input_tokens: 5, output_tokens: 90 },
      }),
      claude('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't2', content: 'two' }] }),
      claude('assistant', { id: 'msg_x', content: [{ type: 'text', text: 'aside' }] }, { isSidechain: true }),
      claude('assistant', { id: 'msg_2', content: [{ type: 'text', text: 'done' }] }),
    );
    const read = importTranscript(text, 'x');
    expect(read.format).toBe('claude-code');
    expect(shape(text)).toEqual([
      'human:text',
      'model:tool_use+tool_use',
      'tools:tool_result+tool_result',
      'model:text',
    ]);
    expect(read.entries[1]?.response?.usage.output_tokens).toBe(90);
    expect(read.entries[0]?.at).toBe('2026-01-01T00:00:00.000Z');
    expect(read.notes).toEqual([{ line: 7, text: '1 lines of sub-agents: left out' }]);
  });

  test('Claude Code: its own summary is no message, and usage after it counts for no view of ours (T3)', () => {
    const usage = { input_tokens: 10, output_tokens: 1 };
    const read = importTranscript(
      jsonl(
        claude('user', { content: 'go' }),
        claude('assistant', { id: 'a', content: [{ type: 'text', text: 'x' }], usage }),
        { type: 'system', subtype: 'compact_boundary', sessionId: 's', compactMetadata: { preTokens: 167117 } },
        claude('user', { content: 'This session is being continued' }, { isCompactSummary: true }),
        claude('assistant', { id: 'b', content: [{ type: 'text', text: 'y' }], usage }),
      ),
      'x',
    );
    expect(read.compactions).toEqual([{ line: 3, tokensBefore: 167117 }]);
    expect(read.entries.map(({ response }) => response?.view)).toEqual([undefined, 'e0', 'recorded-1']);
  });

  test('OpenAI: tool calls with JSON in a string, several results in a row, the system prompt apart', () => {
    const text = JSON.stringify([
      { role: 'system', content: 'be good' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f.x', arguments: '{"n":1}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{broken' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
    ]);
    const read = importTranscript(text, 'x');
    expect([read.format, read.system]).toEqual(['openai', ['be good']]);
    expect(shape(text)).toEqual(['human:text+image', 'model:tool_use+tool_use', 'tools:tool_result+tool_result']);
    expect(read.entries[1]?.message.content).toMatchObject([
      { name: 'f_x', input: { n: 1 } },
      { input: {}, malformed: '{broken' },
    ]);
  });

  test('a request body of the Messages API: words beside results are of the person', () => {
    const text = JSON.stringify({
      system: [{ type: 'text', text: 'S' }],
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'tool_use', id: 't', name: 'r', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't' },
            { type: 'text', text: 'mind the time' },
          ],
        },
      ],
    });
    expect(importTranscript(text, 'x')).toMatchObject({ format: 'messages', system: ['S'] });
    expect(shape(text)).toEqual(['human:text', 'model:thinking+tool_use', 'tools:tool_result', 'human:text']);
  });

  test('our own transcripts keep their ids; their compactions are left to the replay', () => {
    const { entries } = busyLog(3);
    const read = importTranscript(jsonl(...entries), 'x');
    expect(read.format).toBe('tandem');
    expect(read.entries).toEqual(entries);
  });
});

describe('hostile and partial files', () => {
  const good = claude('user', { content: 'go' });

  test('a torn last line and broken lines are noted by number, the rest is read', () => {
    const read = importTranscript(`${JSON.stringify(good)}\n{oops\n[1,2]\n${JSON.stringify(good).slice(0, 30)}`, 'x');
    expect(read.entries).toHaveLength(1);
    expect(read.notes.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(read.notes.at(-1)?.text).toContain('the last line is torn');
  });

  test.each([
    ['nothing', '', 'line 1: the file is empty'],
    ['prose', 'hello\nworld', 'line 1: not JSON'],
    ['other JSON', '{"a":1}', 'line 1: no message of a conversation'],
    ['a list of numbers', '[\n1,\n2]', 'line 2: no message of a conversation'],
  ])('%s is refused with file and line', (_name, text, says) => {
    const thrown = (() => {
      try {
        return importTranscript(text, 'chat.json');
      } catch (error) {
        return error;
      }
    })();
    expect(isHarnessError(thrown, 'usage')).toBe(true);
    expect((thrown as Error).message).toContain(`chat.json: ${says}`);
  });

  test('complaints about a message of a pretty-printed list name the line on which it begins', () => {
    const text = JSON.stringify(
      {
        note: '["messages"]: [',
        messages: [
          { role: 'user', content: 'a' },
          { role: 'robot', content: 'b' },
          { role: 'user', content: 'c' },
        ],
      },
      null,
      2,
    );
    const line = text.split('\n').findIndex((one) => one.includes('robot'));
    expect(importTranscript(text, 'x').notes).toEqual([{ line, text: 'role "robot" is not known: left out' }]);
  });

  test('results without a call, second results and ids that repeat are put in order (T6, T8)', () => {
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'r', input: {} }] };
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'r' }] };
    const read = importTranscript(
      JSON.stringify([result, { role: 'user', content: 'go' }, call, result, result, call, result]),
      'x',
    );
    expect(read.notes).toHaveLength(2);
    expect(findFault(view(read.entries).messages, { boundThinking: true, prefill: false })).toBeUndefined();
  });

  test('input deeper than any tool takes is left out with a note', () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const text = `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"r","input":${deep}},{"type":"text","text":"k"}]}]`;
    const read = importTranscript(text, 'x');
    expect(read.notes[0]?.text).toContain('tool_use');
    expect(read.entries).toHaveLength(2);
  });

  test.each([
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: { toString: [] } }] },
    { role: 'tool', tool_call_id: { toString: [] }, content: 'done' },
  ])('an id that is no text makes no result: %j', (message) => {
    const read = importTranscript(JSON.stringify([{ role: 'user', content: 'go' }, message]), 'x');
    expect(read.entries.map((entry) => entry.message.content)).toEqual([[{ type: 'text', text: 'go' }]]);
    expect(read.notes).toHaveLength(1);
  });

  test('whatever JSON a file holds, the answer is entries or `usage`', () => {
    const role = fc.constantFrom('user', 'assistant', 'tool', 'system', 'function', 'x');
    const block = fc.record(
      {
        type: fc.constantFrom('text', 'tool_use', 'tool_result', 'thinking', 'image'),
        text: fc.anything(),
        id: fc.anything(),
        name: fc.anything(),
        input: fc.anything(),
        content: fc.anything(),
        tool_use_id: fc.anything(),
      },
      { requiredKeys: ['type'] },
    );
    const message = fc.record(
      {
        role,
        content: fc.oneof(fc.array(block), fc.string(), fc.anything()),
        tool_calls: fc.anything(),
        usage: fc.anything(),
      },
      { requiredKeys: ['role'] },
    );
    const line = fc.oneof(
      message,
      fc.record(
        { type: fc.constantFrom('message', 'user', 'assistant'), sessionId: fc.string(), message },
        { requiredKeys: ['type', 'message'] },
      ),
      fc.anything(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, whole) => {
        const text = whole ? (JSON.stringify(lines) ?? '') : lines.map((one) => JSON.stringify(one) ?? '').join('\n');
        try {
          const read = importTranscript(text, 'x');
          if (read.entries[0]?.message.role !== 'user') return;
          // A recording may end with answers, or while a call is open: nothing is sent before the next words of a user.
          const { messages } = view(read.entries);
          const sent = messages.slice(0, messages.findLastIndex(({ role: by }) => by !== 'assistant') + 1);
          expect(findFault(sent, { boundThinking: true, prefill: false })).toBeUndefined();
        } catch (error) {
          if (!isHarnessError(error, 'usage')) throw error;
        }
      }),
      propertyRuns(300),
    );
  });
});

describe('recorded sessions: ours in the shapes of other harnesses', () => {
  test.each([
    ['claude-code', 5],
    ['claude-code-short', 3],
  ] as const)('%s is read whole: valid on the wire, its compactions found', (name, compactions) => {
    const read = readSession(FIXTURES, name);
    expect([read.format, read.compactions.length, read.notes]).toEqual(['claude-code', compactions, []]);
    expect(read.compactions.every(({ tokensBefore = 0 }) => tokensBefore > 16_000)).toBe(true);
    expect(findFault(view(read.entries).messages, { boundThinking: true, prefill: false })).toBeUndefined();
    const blocks = read.entries.flatMap(({ message }) => message.content);
    const results = blocks.filter(({ type }) => type === 'tool_result').length;
    expect(blocks.filter(({ type }) => type === 'tool_use')).toHaveLength(results);
    expect(results).toBeGreaterThan(25);
  });

  test('the fixed part of both agents is found from what was billed: some 3 to 4 thousand tokens', () => {
    for (const name of ['claude-code', 'claude-code-short']) {
      const fit = fitRecorded(readSession(FIXTURES, name).entries);
      expect(fit?.samples).toBeGreaterThan(10);
      expect(fit?.fixed).toBeGreaterThan(2500);
      expect(fit?.fixed).toBeLessThan(4500);
      expect(fit?.ratio).toBeGreaterThan(0.8);
      expect(fit?.ratio).toBeLessThan(1.1);
    }
  });
});
