/** The API's own compaction, with the real SDK against the offline model: the kept thinking stays valid behind the block. */
import { describe, expect, test } from 'vitest';
import { createAnthropicModel } from '../../../src/adapters/anthropic/anthropic-model.ts';
import type { ScriptInput } from '../../../src/adapters/simulated/scripts/script.ts';
import { createRequestFitter } from '../../../src/agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../../../src/agent/definition.ts';
import { runTurn } from '../../../src/agent/loop.ts';
import { createAgentConversation, type AgentConversation } from '../../../src/agent/agent-conversation.ts';
import type { ProgressEvent } from '../../../src/ports/progress.ts';
import { computeCost, type Model, type ModelRequest, type ModelResponse } from '../../../src/ports/model.ts';
import type { CompactionEntry, Entry } from '../../../src/transcript/entry.ts';
import { withSimulator } from '../../adapters/simulated/wire.ts';
import { smallCore } from '../../support/policies.ts';
import { facts } from '../../support/responses.ts';

const STEPS = 30;
const FACTS = { id: 'claude-opus-5-5', window: 60_000, maxOutput: 4000 };
/** Thinks and reads, again and again; then it is done. */
const READER: ScriptInput = {
  version: 1,
  who: 'reader',
  match: { system_includes: 'reader' },
  turns: [
    {
      name: 'only',
      marker: 'read them all',
      steps: [
        ...Array.from({ length: STEPS }, (_, n) => ({
          think: `Now file ${n}.`,
          calls: [{ tool: 'read', input: { file_path: `f${n}.md` } }],
        })),
        { say: 'All files are read.' },
      ],
    },
  ],
};

type Run = {
  session: AgentConversation;
  events: ProgressEvent[];
  calls: { request: ModelRequest; response: ModelResponse }[];
};

async function run(around: (model: Model) => Model = (model) => model): Promise<Run> {
  const { policy, prompts, fields } = smallCore('native');
  const agent: LoadedAgent = {
    definition: {
      ...{
        version: 1,
        name: 'reader',
        model: FACTS.id,
        max_tokens: 4000,
        max_steps: 60,
        reminders: 0,
        tools: ['read'],
      },
      context: { policy: 'native', trigger: { tokens: 20_000 }, keep_steps: 3 },
    },
    systemPrompt: 'You are the reader.',
    ...{ policy, prompts, fields },
  };
  const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  const made: Run = { session, events: [], calls: [] };
  await withSimulator({ scripts: [READER] }, async ({ url }) => {
    const retry = { tries: 1, minDelayMs: 1, maxDelayMs: 1 };
    const real = around(createAnthropicModel({ baseUrl: url, apiKey: 'any', timeoutMs: 20_000, retry }));
    const model: Model = {
      ...real,
      call: async (request, signal) => {
        const response = await real.call(request, signal);
        made.calls.push({ request: structuredClone(request), response });
        return response;
      },
    };
    const tools = [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' as const } }];
    const progress = (event: ProgressEvent) => void made.events.push(event);
    const host = {
      definitions: tools,
      call: async () => ({ content: 'a line of the file\n'.repeat(180), is_error: false }),
    };
    const fitter = createRequestFitter({ agent, facts: facts(FACTS), tools, model, progress });
    const reminders = { cut: 'cut', empty: 'empty', thinking: 't', limit: '{{left}} of {{most}}' };
    const deps = { agent: 'reader', model, hosts: [host], fitter, maxSteps: 60, reminders, progress };
    const task = '<scenario_brief design_dir="design/r1">read them all</scenario_brief>';
    const said = await runTurn(
      session,
      { origin: 'harness', text: task },
      {
        ...deps,
        signal: new AbortController().signal,
      },
    );
    expect(said).toBe('All files are read.');
  });
  return made;
}

const compactions = (entries: readonly Entry[]) =>
  entries.filter((entry): entry is CompactionEntry => entry.type === 'compaction');

describe('compaction by the API itself', () => {
  test('goes on behind its block with all thinking of the kept steps, round after round (T5, T30, Y9)', async () => {
    const { session, calls } = await run();
    const made = compactions(session.entries);
    expect(made.length).toBeGreaterThan(1);
    for (const entry of made) {
      expect(entry).toMatchObject({ place: 'server', keepsThinking: true, receipt: { reason: 'threshold' } });
      expect(entry.request).toContain('<carried_task id="e1">');
    }
    const asked = calls.filter(({ request }) => request.compaction !== undefined);
    expect(asked).toHaveLength(made.length);
    const behind = calls.filter(({ request }) => request.messages[0]?.content[0]?.type === 'compaction');
    expect(behind.length).toBeGreaterThan(5);
    for (const { request } of behind) expect(request.betas).toEqual(['compact-2026-09-04']);
    const [first] = behind.filter(({ request }) => request.compaction === undefined);
    expect(first?.request.messages[1]?.content[0]).toMatchObject({ type: 'thinking' });
    expect(first?.request.messages[0]?.content[0]).toMatchObject(made[0]?.block ?? {});
  });

  test('is billed by its iterations, and the receipt says what it cost (T30)', async () => {
    const { session, calls } = await run();
    const [asked] = calls.filter(({ request }) => request.compaction !== undefined);
    const usage = asked?.response.usage;
    expect(usage).toMatchObject({ input_tokens: 0, output_tokens: 0, iterations: [{ type: 'compaction' }] });
    const [entry] = compactions(session.entries);
    expect(entry?.receipt.usage).toEqual(usage);
    expect(entry?.receipt.costUsd).toBeCloseTo(usage === undefined ? 0 : computeCost(usage, facts(FACTS).price), 9);
    expect(entry?.receipt.costUsd).toBeGreaterThan(0);
  });

  test('where the API refuses, an ordinary summary is asked for, and the refusal is on record (T4)', async () => {
    const { HarnessError } = await import('../../../src/errors.ts');
    const { session, events } = await run((model) => ({
      ...model,
      call: (request, signal) => {
        if (request.compaction !== undefined) throw new HarnessError('model_unavailable', '529 compaction_unavailable');
        const last = JSON.stringify(request.messages.at(-1));
        if (!last.includes('<compaction_request>')) return model.call(request, signal);
        const text = '<compact_summary>{"state": "under way", "facts": ["files were read [#e1]"]}</compact_summary>';
        const usage = {
          input_tokens: 10,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 5,
        };
        return Promise.resolve({
          id: 'm',
          model: 'x',
          content: [{ type: 'text', text }],
          stopReason: 'end_turn',
          usage,
        });
      },
    }));
    const refused = session.entries.flatMap((entry) => (entry.type === 'compaction_refused' ? [entry.cause] : []));
    expect(refused).toEqual(['server:transport', 'server:transport']);
    const made = compactions(session.entries);
    expect(made.length).toBe(2);
    expect(made.every(({ place }) => place === 'assistant')).toBe(true);
    expect(events.some((event) => event.type === 'compaction' && event.outcome === 'refused')).toBe(true);
  });
});
