/** What leaves a window of messages or a budget of tokens, and what stays whole (policies `windowed` and `budgeted`). */
import { expect, test } from 'vitest';
import { openWire, resultsOf, textsOf, type Sent, type WireSetup } from '../support/wire.ts';

const sources = Array.from({ length: 30 }, (_, n) => `policies/part-${n}.md`);
const text = (n: number) =>
  Array.from({ length: 90 }, (_, row) => `row ${row + 1} of part ${n}, about loans`).join('\n');
const busy = (policy: string, more: Record<string, unknown>): WireSetup => ({
  files: {
    ...Object.fromEntries(sources.map((path, n) => [`scenarios/desk/${path}`, text(n)])),
    'scenarios/desk/huge.md': 'A line that is long enough to be cut somewhere. '.repeat(20_000),
  },
  reads: [...sources, 'huge.md'],
  init: [
    { calls: [{ tool: 'read', input: { file_path: 'scenario/huge.md' } }] },
    ...sources.map((path) => ({
      say: `I read ${path}.`,
      calls: [{ tool: 'read', input: { file_path: `scenario/${path}` } }],
    })),
  ],
  agents: { init: { policy, ...more } },
});

/** Every call is followed by its result, and no result is without its call. */
function expectPairs({ messages }: Pick<Sent, 'messages'>): void {
  for (const [place, { content }] of messages.entries()) {
    const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = messages[place + 1]?.content ?? [];
    expect(next.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))).toEqual(
      expect.arrayContaining(calls),
    );
  }
}

test('windowed: at most forty messages, in whole units, in their order, with the first task (S3.2, S3.3, S3.4, S3.9)', async () => {
  const wire = await openWire(busy('windowed', {}));
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sent = wire.sent('init');
  expect(Math.max(...sent.map(({ messages }) => messages.length))).toBeLessThanOrEqual(42);
  for (const one of sent) {
    expectPairs(one);
    expect(textsOf(one)).toContain('<scenario_brief');
  }
  const shrunk = sent.findIndex((one, place) => one.messages.length < (sent[place - 1]?.messages.length ?? 0));
  expect(shrunk).toBeGreaterThan(15);
  const parts = resultsOf(sent[shrunk] ?? { messages: [] }, 'read').flatMap(
    (one) => /of part (\d+),/.exec(one)?.[1] ?? [],
  );
  expect(parts.map(Number)).toEqual(parts.map(Number).toSorted((one, other) => one - other));
  expect(parts.length).toBeGreaterThan(3);
  // S3.9: the size of what was cut.
  expect(resultsOf(sent[1] ?? { messages: [] }, 'read').join()).toMatch(
    /\[cut: \d+ of \d+ characters shown|exceeds \d+-byte limit|longer than/,
  );
});

test('budgeted: what leaves becomes a summary node in a system message, never the end; the transcript loses nothing (S4.7, S4.8, S4.9)', async () => {
  const wire = await openWire(busy('budgeted', { trigger: { tokens: 30_000 } }));
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sent = wire.sent('init');
  const asks = ({ messages }: Sent) => JSON.stringify(messages.at(-1)).includes('<compaction_request>');
  const withNode = sent.filter((one) => !asks(one) && textsOf(one).includes('<summary>'));
  expect(withNode.length).toBeGreaterThan(1);
  for (const one of withNode) {
    expectPairs(one);
    const places = one.messages.flatMap(({ content }, place) =>
      /<summary>/.test(JSON.stringify(content)) ? [place] : [],
    );
    expect(places.map((place) => one.messages[place]?.role)).toContain('system');
    expect(Math.max(...places)).toBeLessThan(one.messages.length - 1);
    // Its rows, as they were read; what a list of sections quotes of its beginning is another thing.
    expect(textsOf(one)).not.toContain(String.raw`row 1 of part 0, about loans\nrow 2`);
  }
  const transcript = (await run.read('transcripts/init.jsonl')).toString();
  for (const [n] of sources.entries()) expect(transcript).toContain(`row 1 of part ${n},`);
});
