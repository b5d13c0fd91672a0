/** How long the next view takes on a transcript of a million tokens, and what it holds in memory; one JSON line. */
import type { BaseMessage } from '@langchain/core/messages';
import { buildRequest } from '../../src/agent/build-request.ts';
import { createIncrementalView } from '../../src/context/view/incremental-view.ts';
import { findHome } from '../../src/config/home.ts';
import { loadCore } from '../../src/config/load-core.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { createFaultFinder } from '../../src/transcript/protocol.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { installedPeers } from './peers.ts';
import { makeScenario } from './scenarios.ts';

const ROUNDS = 40;
const WINDOW = 4_000_000;

const scenario = makeScenario('million');
const entries: Entry[] = scenario.messages.slice(0, -1);
const json = JSON.stringify(entries).length;
const core = {
  ...(await loadCore(findHome(new URL('../..', import.meta.url).pathname), 'two-agent', 'execute')),
  // So large that nothing is compacted: what is measured is the view of all of it.
  budget: { window: WINDOW, maxOutput: 16_000, floor: 10_000 },
};

/** The same step again, with call ids of its own. */
function renamed(message: Message, round: number): Message {
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === 'tool_use'
        ? { ...block, id: `again_${round}` }
        : block.type === 'tool_result'
          ? { ...block, tool_use_id: `again_${round}` }
          : { ...block },
    ),
  };
}

const collect = () => globalThis.gc?.();
const median = (list: number[]) => list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)] ?? 0;
const timed = (work: () => void) => {
  const from = performance.now();
  work();
  return performance.now() - from;
};

collect();
const heapBefore = process.memoryUsage().heapUsed;
const follower = createIncrementalView(core);
const coldMs = timed(() => {
  follower.view(entries);
  follower.pressure(entries);
});
collect();
const heapAfter = process.memoryUsage().heapUsed;

const fixed = {
  agent: 'bench',
  system: 'You work.',
  tools: ['read', 'write', 'bash', 'todo_write'].map((name) => ({
    name,
    description: name,
    input_schema: { type: 'object' as const },
  })),
  maxTokens: 16_000,
  facts: {
    id: 'm',
    window: WINDOW,
    maxOutput: 16_000,
    boundThinking: true,
    price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 },
    source: 'table' as const,
  },
  findFault: createFaultFinder(),
};
const steps: number[] = [];
const requests: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const source = scenario.messages.slice(1, 3);
  for (const entry of source)
    entries.push({ ...entry, id: `e${entries.length + 1}`, message: renamed(entry.message, round) });
  steps.push(timed(() => (follower.view(entries), follower.pressure(entries))));
  // The step above is in the view already, so this is marks and check alone.
  requests.push(timed(() => buildRequest(follower.view(entries), fixed)));
}

/** Undefined where that peer is not installed. */
async function trimmed(): Promise<number | undefined> {
  const { found } = installedPeers();
  if (!found.includes('langchain trimMessages') || !found.includes('langchain summarizationMiddleware'))
    return undefined;
  const { countTokensApproximately } = await import('langchain');
  const { trimMessages } = await import('@langchain/core/messages');
  const { toLangChain } = await import('./peers/lc-messages.ts');
  const messages = toLangChain(scenario.messages.map(({ message }) => message));
  const trims: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const from = performance.now();
    await trimMessages(messages, {
      maxTokens: 900_000,
      strategy: 'last',
      tokenCounter: (list: BaseMessage[]) => countTokensApproximately(list),
      startOn: ['human', 'ai'],
    });
    trims.push(performance.now() - from);
  }
  return median(trims);
}

const measured = {
  entries: entries.length,
  tokens: estimateMessages(scenario.messages.map(({ message }) => message)),
  jsonMiB: json / 1_048_576,
  coldMs,
  stepMs: median(steps),
  slowestStepMs: Math.max(...steps),
  requestMs: median(requests),
  trimMs: await trimmed(),
  heldMiB: (heapAfter - heapBefore) / 1_048_576,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
