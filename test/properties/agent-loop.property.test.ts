/** An agent whose model answers in every way it can: each turn ends with a text or a typed refusal, and nothing invalid is ever sent. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRequestFitter } from '../../src/agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../../src/agent/definition.ts';
import { runTurn } from '../../src/agent/loop.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { HarnessError, isHarnessError } from '../../src/errors.ts';
import type { Model, ModelRequest, ModelResponse } from '../../src/ports/model.ts';
import type { Block, ImageBlock, StopReason } from '../../src/transcript/message.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { answerFor, blockFor, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { facts } from '../support/responses.ts';
import { propertyRuns } from '../support/property-runs.ts';

const live = new AbortController().signal;
const TOOLS = [{ name: 'read', description: 'reads', input_schema: { type: 'object' as const } }];

const words = fc.tuple(fc.constantFrom('', ' ', 'word ', '中文', '\uD83D'), fc.integer({ min: 0, max: 30 }));
const answer = fc.record({
  text: words.map(([word, times]) => word.repeat(times)),
  calls: fc.array(fc.constantFrom('read', 'nothing.of.the.kind', ''), { maxLength: 3 }),
  thinks: fc.constantFrom<'no' | 'bound' | 'unsigned' | 'hidden' | 'hidden, empty' | 'alone'>(
    ...Array<'no'>(4).fill('no'),
    'bound',
    'bound',
    'unsigned',
    'hidden',
    'hidden, empty',
    'alone',
  ),
  /** Names of a shape that no request may hold end at the port. */
  ids: fc.constantFrom(...Array<'own'>(6).fill('own'), 'again'),
  extra: fc.constantFrom(...Array<'none'>(6).fill('none'), 'unknown block', 'half a character', 'large input'),
  stop: fc.constantFrom<StopReason>(
    ...Array<'tool_use'>(12).fill('tool_use'),
    'end_turn',
    'max_tokens',
    'model_context_window_exceeded',
    'refusal',
    'pause_turn',
  ),
  resultTokens: fc.constantFrom(0, 10, 400, 3000, 30_000),
  results: fc.constantFrom(...Array<'text'>(5).fill('text'), 'image', 'half a character'),
  fails: fc.constantFrom(...Array<'no'>(30).fill('no'), 'transport', 'refused'),
});
const summary = fc.constantFrom(
  'good',
  'good',
  'good',
  'empty',
  'garbage',
  'long',
  'call',
  'cut',
  'transport',
  'timeless',
);
const story = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 30 }),
  summaries: fc.array(summary, { minLength: 1, maxLength: 6 }),
});
type Story = typeof story extends fc.Arbitrary<infer One> ? One : never;

function responseOf(content: Block[], stopReason: StopReason, request: ModelRequest): ModelResponse {
  const usage = {
    input_tokens: 500 + estimateMessages(request.messages),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 9,
  };
  return { id: 'm', model: 'test-model', content, stopReason, usage };
}

const PIXEL: ImageBlock = {
  type: 'image',
  source: { type: 'stored', media_type: 'image/png', sha256: 'a'.repeat(64), bytes: 68 },
};

const THOUGHTS: Readonly<Record<Story['answers'][number]['thinks'], (said: number) => Block[]>> = {
  no: () => [],
  bound: (said) => [{ type: 'thinking', thinking: '', signature: `s${said}` }],
  alone: (said) => [{ type: 'thinking', thinking: 'hm', signature: `s${said}` }],
  unsigned: () => [{ type: 'thinking', thinking: 'hm', signature: '' }],
  hidden: (said) => [{ type: 'redacted_thinking', data: `r${said}` }],
  'hidden, empty': () => [{ type: 'redacted_thinking', data: '' }],
};

function playing({ answers, summaries }: Story, core: ReturnType<typeof smallCore>) {
  const requests: ModelRequest[] = [];
  let [said, told, ids, results, shape] = [0, 0, 0, 0, 'text'];
  const summarise = (request: ModelRequest): ModelResponse => {
    const how = summaries[told++ % summaries.length];
    if (how === 'transport') throw new HarnessError('model_unavailable', '529', { retryable: true });
    if (request.compaction !== undefined)
      return responseOf(blockFor(how === 'empty' ? [] : ['x']).content, 'compaction', request);
    const good = answerFor(core, ['the task stands [#e1]']).content;
    const long = answerFor(core, ['word '.repeat(40_000)]).content;
    const call: Block[] = [...good, { type: 'tool_use', id: `toolu_s${told}`, name: 'read', input: {} }];
    const contents = {
      empty: [],
      garbage: [{ type: 'text' as const, text: 'I have done a lot.' }],
      long,
      call,
      cut: good,
    };
    return responseOf(
      how === undefined || !(how in contents) ? good : contents[how as keyof typeof contents],
      how === 'cut' ? 'max_tokens' : 'end_turn',
      request,
    );
  };
  const model: Model = {
    call: async (request) => {
      requests.push(structuredClone(request));
      const last = JSON.stringify(request.messages.at(-1));
      if (request.compaction !== undefined || last.includes('compaction_request')) return summarise(request);
      const one = answers[said++];
      if (one === undefined) return responseOf([{ type: 'text', text: 'done' }], 'end_turn', request);
      if (one.fails === 'transport') throw new HarnessError('model_unavailable', '529', { retryable: true });
      if (one.fails === 'refused') throw new HarnessError('model_refused', '400');
      [results, shape] = [one.resultTokens, one.results];
      const idOf = { own: () => `toolu_${(ids += 1)}`, again: () => 'toolu_1' };
      const input = { 'large input': { text: 'word '.repeat(4000) }, 'half a character': { '\uDC00': '\uD83D' } }[
        one.extra as 'large input'
      ];
      const calls = one.calls.map((name): Block => ({
        type: 'tool_use',
        id: idOf[one.ids](),
        name,
        input: input ?? {},
      }));
      const thought = THOUGHTS[one.thinks](said);
      if (one.thinks === 'alone') return responseOf(thought, one.stop, request);
      if (one.extra === 'unknown block') thought.push({ type: 'unknown', wire: { type: 'server_tool_use', id: 'x' } });
      // Only a window that is nearly full is ever found full.
      const full = one.stop === 'model_context_window_exceeded' && estimateMessages(request.messages) < 15_000;
      return responseOf(
        [...thought, { type: 'text', text: one.text }, ...calls],
        full ? 'tool_use' : one.stop,
        request,
      );
    },
  };
  const host = {
    definitions: TOOLS,
    call: async () => {
      const text = shape === 'half a character' ? '\uD83D'.repeat(results) : 'word '.repeat(results);
      return { content: text, is_error: results === 10, ...(shape === 'image' && { images: [PIXEL] }) };
    },
  };
  return { model, host, requests };
}

async function playTurns(told: Story, core: ReturnType<typeof smallCore>) {
  const { policy, prompts, fields } = core;
  const { model, host, requests } = playing(told, core);
  const context = { policy: policy.name, trigger: { tokens: 20_000 }, keep_steps: 3 };
  const definition = {
    ...{ version: 1 as const, name: 'tester', model: 'test-model', max_tokens: 4000, max_steps: 25, reminders: 0 },
    tools: ['read'],
    context,
  };
  const agent: LoadedAgent = { definition, systemPrompt: 'You test.', policy, prompts, fields };
  const progress = () => undefined;
  const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
  const ends: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const fitter = createRequestFitter({
      agent,
      facts: facts({ window: 40_000, maxOutput: 4000 }),
      tools: TOOLS,
      model,
      progress,
    });
    const deps = {
      agent: 'tester',
      model,
      hosts: [host],
      fitter,
      maxSteps: 25,
      reminders: { cut: 'CUT', empty: 'EMPTY', thinking: 'THINKING', limit: '{{left}} of {{most}}' },
      progress,
    };
    await runTurn(session, { origin: 'human', text: `task ${turn}` }, { ...deps, signal: live }).then(
      () => ends.push('text'),
      (error: unknown) => ends.push(isHarnessError(error) ? error.code : String(error)),
    );
  }
  return { ends, requests, session };
}

const ENDS = new Set(['text', 'agent_stopped', 'context_overflow', 'model_unavailable', 'model_refused']);

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name);

  test('ends every turn, sends nothing invalid, and asks for no more summaries than the breaker allows', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const { ends, requests, session } = await playTurns(told, core);
        expect(ends.filter((end) => !ENDS.has(end))).toEqual([]);
        // Only the request after a paused turn ends with an answer.
        const prefill = session.entries.some((entry) => entry.type === 'message' && entry.pauses === true);
        for (const { messages } of requests)
          expect(findFault(messages, { boundThinking: false, prefill })).toBeUndefined();
        const ordinary = session.entries.filter((entry) => entry.type === 'message' && entry.origin === 'model').length;
        expect(requests.length).toBeLessThan(3 * ordinary + 40);
      }),
      propertyRuns(20),
    );
  });
});
