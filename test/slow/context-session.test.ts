/** A whole agent loop of 400 steps against the strict offline model: nothing refused, and the cache is read almost always. */
import { deriveCallRecords } from '../../src/transcript/call-record.ts';
import { expect, test } from 'vitest';
import { createAnthropicModel } from '../../src/adapters/anthropic/anthropic-model.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { createRequestFitter } from '../../src/agent/compaction/request-fitter.ts';
import { runTurn } from '../../src/agent/loop.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { findHome } from '../../src/config/home.ts';
import { loadAgent } from '../../src/config/load-agent.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { requireModel } from '../../src/app/models/known-model.ts';
import { cacheReadShare, contextHistory } from '../../src/context-lab/history.ts';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';

const STEPS = 400;
const SUMMARY = {
  generated_components: { tools: ['none'], checkers: ['none'], samples: 'none' },
  evaluation_progress: { current_iteration: '1', success_rate: 'not evaluated yet', layer_status: 'all open' },
  identified_issues: [],
  pending_work: ['look at the rest'],
  key_paths: [],
};
const signal = new AbortController().signal;
const tools = [
  {
    name: 'look',
    description: 'Looks.',
    input_schema: { type: 'object' as const, properties: { n: { type: 'number' } } },
  },
];
const host: ToolHost = {
  definitions: tools,
  call: async (_name, input) => ({
    content: `result ${JSON.stringify(input)}: ${'a line of what was found there; '.repeat(60)}`,
    is_error: false,
  }),
};

test('400 steps: every request is taken, and 90 % of all input outside of compactions is read from the cache', async () => {
  const home = findHome('.');
  const config = await loadConfig(home, { flags: { agents: { execute: { trigger: { tokens: 60_000 } } } } });
  const agent = await loadAgent(home, 'execute', config);
  const step = (n: number) => ({ think: `thought ${n}`, calls: [{ tool: 'look', input: { n } }] });
  const steps = [...Array.from({ length: STEPS }, (_, n) => step(n + 1)), { say: 'done' }];
  const simulator = await startSimulator({
    simulationDir: undefined,
    scripts: [
      {
        version: 1,
        who: 'execute',
        match: { system_includes: agent.systemPrompt.slice(0, 40) },
        turns: [{ name: 'work', marker: 'Look at everything', steps, summary: SUMMARY }],
      },
    ],
  });
  const model = createAnthropicModel({
    baseUrl: simulator.url,
    apiKey: 'sk-test',
    timeoutMs: 60_000,
    retry: { tries: 1, minDelayMs: 1, maxDelayMs: 1 },
  });
  try {
    const facts = { ...(await requireModel(home, agent.definition.model)), thinking: 'adaptive' as const };
    const session = createAgentConversation({ entries: [], step: 's', onAppend: () => Promise.resolve() });
    const fitter = createRequestFitter({ agent, facts, tools, model, progress: () => undefined });
    const said = await runTurn(
      session,
      { origin: 'harness', text: 'Look at everything, then say done.' },
      {
        agent: 'execute',
        model,
        hosts: [host],
        fitter,
        maxSteps: STEPS + 10,
        reminders: { cut: 'cut', empty: 'empty', thinking: 'thinking', limit: '{{left}} of {{most}}' },
        progress: () => undefined,
        signal,
      },
    );
    const history = contextHistory(deriveCallRecords(session.entries, 'init'));
    expect(said).toBe('done');
    expect(history.calls).toHaveLength(STEPS + 1);
    expect(history.compactions.length).toBeGreaterThan(3);
    expect(history.refusals).toEqual([]);
    expect(cacheReadShare(history)).toBeGreaterThanOrEqual(0.9);
  } finally {
    await simulator.close();
  }
});
