/** Who writes a summary, and what happens when nobody does in time (S1.13, S1.14). */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ModelResponse } from '../../src/ports/model.ts';
import { answers } from '../support/scripted-server.ts';
import { openWire, textsOf, type WireSetup } from '../support/wire.ts';

const sources = Array.from({ length: 24 }, (_, n) => `policies/part-${n}.md`);

async function busy(summary: Record<string, unknown>): Promise<WireSetup> {
  const layered = parse(await readFile('config/context/layered.yaml', 'utf8')) as { summary: object };
  const own = { ...layered, name: 'own', summary: { ...layered.summary, ...summary } };
  return {
    files: {
      ...Object.fromEntries(sources.map((path, n) => [`scenarios/desk/${path}`, `row of part ${n}\n`.repeat(300)])),
      'config/context/own.yaml': stringify(own),
    },
    reads: sources,
    init: sources.map((path) => ({
      say: `I read ${path}.`,
      calls: [{ tool: 'read', input: { file_path: `scenario/${path}` } }],
    })),
    agents: { init: { policy: 'own', trigger: { tokens: 30_000 } } },
  };
}
const archive: ModelResponse = {
  ...{ id: 'msg_archive', model: 'claude-haiku-5-5', stopReason: 'end_turn' },
  content: [
    {
      type: 'text',
      text: '<compact_summary>{"original_goal":"A design.","milestones":["The parts are read."]}</compact_summary>',
    },
  ],
  usage: { input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
};
const isSummary = (text: string) => text.includes('<compaction_request>') || text.includes('<compaction_part');

test('a summary that does not come in time is replaced by code, the latest turns stay, and it is said (S1.14)', async () => {
  const wire = await openWire({
    ...(await busy({ timeoutSeconds: 1 })),
    // Never answered.
    meddle: ({ body }) => (isSummary(JSON.stringify(body.messages?.at(-1) ?? {})) ? () => undefined : undefined),
  });
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sentence = 'Summary generation timed out, keeping recent history only.';
  expect(textsOf(wire.sent('init').at(-1) ?? { messages: [] })).toContain(sentence);
  // The person reads it too, and nothing that says otherwise.
  expect(run.stderr).toContain(sentence);
  expect(run.stderr).not.toContain('old view');
});

test('another model writes the summary in a session of its own, and the screen says that it does (S1.13)', async () => {
  const setup = await busy({ model: 'claude-haiku-5-5' });
  const wire = await openWire({
    ...setup,
    meddle: ({ body }) => (isSummary(JSON.stringify(body.messages?.at(-1) ?? {})) ? answers(archive) : undefined),
  });
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toMatch(/compaction of init/);
  const asked = wire.sent().filter(({ messages }) => isSummary(JSON.stringify(messages.at(-1))));
  expect(asked.length).toBeGreaterThan(0);
  for (const { model, messages } of asked) {
    expect(model).toBe('claude-haiku-5-5');
    expect(messages).toHaveLength(1);
  }
  expect(wire.sent('init').every(({ model }) => model === 'claude-opus-5-5')).toBe(true);
});
