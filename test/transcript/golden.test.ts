// S1.16 is refused: ReAct text is only a form in which these files are read.
/** What the readers make of one recording in each format, oddities and all: entries, compactions, notes, word for word. */
import { expect, test } from 'vitest';
import { importTranscript } from '../../src/interop/transcripts/import.ts';
import { formatTranscript } from '../../src/transcript/transcript-lines.ts';
import { renderReact } from '../support/react-text.ts';

const jsonl = (...lines: unknown[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
const image = (media_type: string, data = 'QUJD') => ({ type: 'image', source: { type: 'base64', media_type, data } });
const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) });
const usage = { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 4 };

const claude = (type: string, message: object, more: object = {}) => ({
  type,
  sessionId: 's',
  uuid: 'u',
  message,
  ...more,
});
const CLAUDE_CODE = jsonl(
  { type: 'file-history-snapshot' },
  claude('user', { role: 'user', content: 'do it' }, { timestamp: '2026-01-01T00:00:00Z' }),
  claude('user', { role: 'user', content: 'a note' }, { isMeta: true }),
  claude('assistant', {
    id: 'm1',
    model: 'm',
    stop_reason: 'tool_use',
    usage,
    content: [{ type: 'thinking', thinking: 'hm', signature: 's' }],
  }),
  claude('assistant', {
    id: 'm1',
    usage: { ...usage, output_tokens: 40 },
    content: [{ type: 'tool_use', id: 't 1', name: 'mcp.read file', input: { a: 1 } }],
  }),
  claude(
    'user',
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't 1', content: [{ type: 'text', text: 'one' }, image('image/png')] },
        { type: 'text', text: 'by the way' },
      ],
    },
    { timestamp: 1_767_225_700_000.4 },
  ),
  claude('user', {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 't 1', content: 'again' },
      { type: 'tool_result', tool_use_id: 'none', content: 'x', is_error: true },
    ],
  }),
  claude('assistant', {
    id: 'm2',
    content: [
      { type: 'text', text: ' ' },
      { type: 'thinking', thinking: 'no signature' },
      { type: 'server_tool_use' },
      { type: 'server_tool_use' },
      7,
    ],
  }),
  claude('assistant', {
    id: 'm3',
    content: [
      { type: 'tool_result', tool_use_id: 'q', content: 'strange' },
      { type: 'text', text: 'half' },
    ],
  }),
  claude('assistant', { id: 'm4', content: 'aside' }, { isSidechain: true }),
  claude('user', { role: 'user', content: 'aside too' }, { isSidechain: true }),
  { type: 'system', subtype: 'compact_boundary', sessionId: 's', compactMetadata: { preTokens: 150_000 } },
  { type: 'system', subtype: 'compact_boundary', sessionId: 's' },
  claude('user', { role: 'user', content: 'This session is being continued' }, { isCompactSummary: true }),
  claude('assistant', {
    id: 'm5',
    model: 'm',
    usage,
    stop_reason: 'nonsense',
    content: [{ type: 'redacted_thinking', data: 'zz' }, { type: 'redacted_thinking' }, { type: 'text', text: 'done' }],
  }),
  { type: 'summary', sessionId: 's' },
  '7',
  'null',
  '{"broken',
  '{"torn',
);

const call = (id: string | undefined, name: string, args: unknown) => ({
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name, arguments: args },
});
const OPENAI = JSON.stringify(
  [
    { role: 'system', content: 'You help.' },
    { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'image_url', image_url: { url: 'data:image/webp;base64,QUJD' } },
        { type: 'image_url', image_url: 'https://example.org/a.png' },
        { type: 'image_url' },
        image('image/svg+xml'),
        image('image/gif', ''),
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        call('c1', 'look', '{"n":1}'),
        call('c1', 'look', 'not json'),
        call(undefined, 'look up!', '[1]'),
        call('c4', '', ''),
        call('c5', 'deep', deep(70)),
        call('c6', 'deep', deep(60)),
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'first' },
    { role: 'tool', tool_call_id: 'look up!', content: '', is_error: true },
    { role: 'system', content: 'From now on in Dutch.' },
    {
      role: 'assistant',
      content: 'goed',
      tool_calls: null,
      usage: { prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 12 } },
      model: 'g',
      created: 1_767_225_600_000,
    },
    { role: 'assistant', content: 'x', tool_calls: 'nonsense' },
    { role: 'assistant', content: '', function_call: { name: 'old', arguments: '{}' } },
    { role: 'function', name: 'old', content: 'works', error: true },
    {
      role: 'assistant',
      content: [{ type: 'output_text', text: 'out' }, { type: 'refusal', refusal: 'I cannot' }, { type: 'text' }, {}],
    },
    { role: 'critic', content: 'bad' },
    { content: 'nobody' },
    { role: 'user', content: 7 },
    { role: 'user' },
  ],
  undefined,
  1,
);

const MESSAGES = JSON.stringify({
  note: { messages: ['not these', { messages: [] }], text: 'a "quoted" \\ [ text' },
  system: [{ type: 'text', text: 'You are it.' }, { type: 'image' }],
  messages: [
    { role: 'user', content: ['plain', ''] },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'x'.repeat(80), input: null },
        { type: 'tool_use', id: 'b', name: '***', input: { k: [1] } },
        { type: 'tool_use', id: 5, name: 'n' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'tool_result', tool_use_id: 'b', content: 'text', is_error: true },
        { type: 'text', text: 'and this' },
        { type: 'document' },
      ],
    },
    { role: 'assistant', content: 'done', timestamp: -5 },
  ],
});

const TANDEM = jsonl(
  {
    version: 1,
    type: 'message',
    id: 'e1',
    parents: [],
    lane: 'main',
    origin: 'human',
    message: { role: 'user', content: [{ type: 'text', text: 'go' }] },
  },
  { version: 1, type: 'layer', id: 'e2', parents: ['e1'], lane: 'main', name: 'law', text: 'x' },
  {
    version: 1,
    type: 'message',
    id: 'e3',
    parents: ['e1'],
    lane: 'subagent-1',
    origin: 'human',
    message: { role: 'user', content: [{ type: 'text', text: 'aside' }] },
  },
  {
    version: 1,
    type: 'message',
    id: 'five',
    parents: [],
    lane: 'main',
    origin: 'human',
    message: { role: 'user', content: [] },
  },
  { version: 1, type: 'compaction_refused', id: 'e4', parents: ['e1'], lane: 'main', cause: 'schema', detail: 'no' },
  {
    version: 1,
    type: 'compaction',
    id: 'e5',
    parents: ['e4'],
    lane: 'main',
    coversThrough: 'e1',
    request: 'r',
    summary: 's',
    bridge: 'b',
    shortened: {},
    receipt: {
      reason: 'threshold',
      tokensBefore: 77,
      tokensAfter: 7,
      stepsSummarised: 1,
      stepsKept: 0,
      decisions: [],
      cacheTokensLost: 0,
    },
  },
);

test.each([
  ['claude-code', CLAUDE_CODE],
  ['openai', OPENAI],
  ['messages', MESSAGES],
  ['tandem', TANDEM],
])('%s', async (format, text) => {
  const read = importTranscript(`\uFEFF${text}`, `${format}.jsonl`);
  expect(read.format).toBe(format);
  const { entries, ...rest } = read;
  const told = [
    JSON.stringify(rest, undefined, 1),
    ...entries.map((entry) => JSON.stringify(entry)),
    ...formatTranscript(entries, 60),
    renderReact(entries.map(({ message }) => message)),
  ];
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(`golden/${format}.txt`);
});

test.each([
  ['', 'x: line 1: the file is empty. Expected a transcript'],
  ['\n\n{"a', 'x: line 3: not JSON ('],
  ['{"a":1}', 'x: line 1: no message of a conversation was found (no message: expected an object with `role`).'],
  ['[]', 'x: line 1: no message of a conversation was found.'],
])('what is no conversation is refused with its line: %j', (text, message) => {
  expect(() => importTranscript(text, 'x')).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: expect.stringContaining(message) as string,
      details: { file: 'x', line: expect.any(Number) as number },
    }) as Error,
  );
});
