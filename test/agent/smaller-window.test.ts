/** A session that goes on with a model of a smaller window, or with one that counts otherwise (T1, T3, T23). */
import { describe, expect, test } from 'vitest';
import { createRequestFitter } from '../../src/agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../../src/agent/definition.ts';
import { runTurn } from '../../src/agent/loop.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { answerFor, POLICY_NAMES, smallCore, type PolicyName } from '../support/policies.ts';
import { countRounds } from '../support/property-runs.ts';
import { facts, response, say } from '../support/responses.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { createLog } from '../support/transcripts.ts';

const live = new AbortController().signal;
const TOOLS = [{ name: 'read', description: 'reads', input_schema: { type: 'object' as const } }];

const sessions = new Map<string, readonly Entry[]>();

/** About so many tokens in steps, billed as by a model that needs `factor` of our estimate; made once, a list of its own each. */
function longSession(tokens: number, factor: number): Entry[] {
  const key = `${tokens} ${factor}`;
  const entries = sessions.get(key) ?? makeLongSession(tokens, factor);
  sessions.set(key, entries);
  return structuredClone([...entries]);
}

function makeLongSession(tokens: number, factor: number): readonly Entry[] {
  const log = createLog();
  log.human('go');
  const context = {
    policy: 'p',
    window: 1_000_000,
    trigger: 750_000,
    target: 375_000,
    hard: 990_000,
    header: 'another',
  };
  log.append({
    type: 'message',
    origin: 'harness',
    context,
    message: { role: 'user', content: [{ type: 'text', text: 'all of it' }] },
  });
  let sent = 0;
  let counted = 0;
  for (let sum = 0; sum < tokens; sum += 4000) {
    const since = log.entries.slice(counted);
    counted = log.entries.length;
    sent += estimateMessages(since.flatMap((entry) => (entry.type === 'message' ? [entry.message] : [])));
    log.step([{ result: `file ${sum} `.repeat(900) }], { think: 'hm', usage: Math.round((500 + sent) * factor) });
  }
  log.says('all is read', { usage: Math.round(tokens * factor) });
  return log.entries;
}

async function goesOn(name: PolicyName, entries: readonly Entry[]) {
  const { policy, prompts, fields } = smallCore(name);
  const context = { policy: name, trigger: { tokens: 20_000 }, keep_steps: 3 };
  const definition = {
    ...{ version: 1 as const, name: 'tester', model: 'test-model', max_tokens: 4000, max_steps: 9, reminders: 0 },
    tools: ['read'],
    context,
  };
  const agent: LoadedAgent = { definition, systemPrompt: 'You test.', policy, prompts, fields };
  const session = createAgentConversation({ entries, step: 's2', onAppend: () => Promise.resolve() });
  const summary = response(answerFor(smallCore(name), ['it was read [#e3]']).content, 'end_turn');
  const answer = (request: ModelRequest) =>
    JSON.stringify(request.messages.at(-1)).includes('compact_summary') ? structuredClone(summary) : say('done');
  const model = scriptedModel(Array.from({ length: 60 }, () => answer));
  const fitter = createRequestFitter({
    agent,
    facts: facts({ window: 40_000, maxOutput: 4000 }),
    tools: TOOLS,
    model,
    progress: () => undefined,
  });
  const deps = {
    agent: 'tester',
    model,
    hosts: [],
    fitter,
    maxSteps: 9,
    reminders: { cut: 'CUT', empty: 'EMPTY', thinking: 'THINKING', limit: '{{left}} of {{most}}' },
    progress: () => undefined,
  };
  const said = await runTurn(session, { origin: 'human', text: 'and the rest?' }, { ...deps, signal: live });
  return { said, requests: model.requests, session };
}

describe.each(POLICY_NAMES)('%s', (name) => {
  test.each([
    ['twice the new window', 80_000],
    // Ten times in the night, five times every day.
    ['many times the new window', countRounds(400_000, 1 / 2)],
  ])('what is %s is brought into it in one go, and the turn ends', async (_what, tokens) => {
    const { said, requests, session } = await goesOn(name, longSession(tokens, 1));
    expect(said).toBe('done');
    for (const { messages } of requests) {
      expect(estimateMessages(messages)).toBeLessThan(40_000);
      expect(findFault(messages, { boundThinking: false, prefill: false })).toBeUndefined();
    }
    const last = requests.at(-1);
    expect(estimateMessages(last?.messages ?? [])).toBeLessThan(20_000);
    expect(JSON.stringify(last?.messages)).not.toContain('"thinking"');
    expect(session.entries.filter(({ type }) => type === 'compaction').length).toBeGreaterThan(0);
  });
});

test('what another model was billed neither compacts too early nor too late (T3)', async () => {
  const { requests, session } = await goesOn('two-agent', longSession(8000, 4));
  expect(session.entries.some(({ type }) => type === 'compaction')).toBe(false);
  expect(requests).toHaveLength(1);
});
