/** A server that pauses turns at calls of its own: both agents go on with the answer, through compactions, and buy nothing twice. */
import { describe, expect, test } from 'vitest';
import { createAnthropicModel } from '../../src/adapters/anthropic/anthropic-model.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { createRequestFitter } from '../../src/agent/compaction/request-fitter.ts';
import { runTurn } from '../../src/agent/loop.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { findHome } from '../../src/config/home.ts';
import { loadAgent, loadPolicy, loadContextPrompts } from '../../src/config/load-agent.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { requireModel } from '../../src/app/models/known-model.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';
import { readServerCall, readServerResult } from '../../src/transcript/call-pairs.ts';

const STEPS = 40;
const PAUSES = [2, 3, 9, 14, 15, 16, 22, 28, 33, 38];
const input_schema = { type: 'object' as const, properties: { n: { type: 'number' } } };
const host: ToolHost = {
  definitions: [{ name: 'look', description: 'Looks.', input_schema }],
  call: async (_name, input) => ({
    content: `result ${JSON.stringify(input)}: ${'a line of what was found there; '.repeat(100)}`,
    is_error: false,
  }),
};
const fieldsFor = (asked: object) =>
  Object.fromEntries(Object.entries(asked).map(([name]) => [name, ['under way'] as unknown]));

describe.each(['init', 'execute'])('%s', (name) => {
  test.each(['two-agent', 'layered', 'selective', 'windowed', 'budgeted', 'native'])('%s', async (policyName) => {
    const home = findHome('.');
    const config = await loadConfig(home, { flags: { agents: { [name]: { trigger: { tokens: 32_000 } } } } });
    const loaded = await loadAgent(home, name, config);
    const policy = await loadPolicy(home, policyName);
    const trigger = { ...policy.trigger, tokens: 32_000 };
    const agent = { ...loaded, policy: { ...policy, trigger }, prompts: await loadContextPrompts(home, policy) };
    const steps = Array.from({ length: STEPS }, (_, n) => ({
      ...{ think: `thought ${n}`, calls: [{ tool: 'look', input: { n } }] },
    }));
    const simulator = await startSimulator({
      simulationDir: undefined,
      scripts: [
        {
          ...{ version: 1, who: name, match: { system_includes: agent.systemPrompt.slice(0, 40) } },
          turns: [
            {
              ...{ name: 'work', marker: 'Look at everything', steps: [...steps, { say: 'done' }] },
              summary: fieldsFor(agent.fields),
            },
          ],
        },
      ],
      faults: PAUSES.map((nth) => ({ who: name, nth, kind: 'pause_turn' as const })),
    });
    const retry = { tries: 1, minDelayMs: 1, maxDelayMs: 1 };
    const wire = createAnthropicModel({ baseUrl: simulator.url, apiKey: 'sk-test', timeoutMs: 60_000, retry });
    const requests: ModelRequest[] = [];
    const model: typeof wire = {
      ...wire,
      call: (request, signal, terms) => {
        requests.push(request);
        return wire.call(request, signal, terms);
      },
    };
    const facts = { ...(await requireModel(home, agent.definition.model)), thinking: 'adaptive' as const };
    const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
    const { definitions: tools } = host;
    const fitter = createRequestFitter({ agent, facts, tools, model, progress: () => undefined });
    const reminders = { cut: 'cut', empty: 'empty', thinking: 'thinking', limit: '{{left}} of {{most}}' };
    const said = await runTurn(
      session,
      { origin: 'harness', text: 'Look at everything, then say done.' },
      {
        ...{ agent: name, model, hosts: [host], fitter, maxSteps: STEPS + PAUSES.length + 5, reminders },
        ...{ progress: () => undefined, signal: new AbortController().signal },
      },
    ).finally(() => void simulator.close());

    expect(said).toBe('done');
    expect(simulator.requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(session.entries.some(({ type }) => type === 'compaction')).toBe(true);
    const looked = simulator.requests.filter(({ billed }) => billed?.server_tool_use !== null && billed !== undefined);
    expect(looked).toHaveLength(PAUSES.length);
    for (const { messages } of requests) {
      const blocks = messages.flatMap(({ content }) => content);
      const done = new Set(blocks.map(readServerResult));
      const open = blocks.flatMap((block) => readServerCall(block) ?? []).filter(({ id }) => !done.has(id));
      const last = messages.at(-1);
      expect(open).toEqual(
        last?.role === 'assistant' ? last.content.flatMap((block) => readServerCall(block) ?? []) : [],
      );
    }
    const paused = requests.filter(({ messages }) => messages.at(-1)?.role === 'assistant');
    // A summary that is paused is refused and asked for again later.
    const summaries = session.entries.filter(
      (one) => one.type === 'compaction_refused' && /pause_turn/.test(one.cause),
    );
    expect(paused).toHaveLength(PAUSES.length - summaries.length);
  });
});
