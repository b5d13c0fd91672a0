/** Drives a peer through a scenario call by call, and judges what it would send by the rules that ours is judged by. */
import { plantedFacts } from '../../src/context-lab/replay/facts.ts';
import { createFactRecall } from '../../src/context-lab/replay/fact-recall.ts';
import { CACHE_RULES, createPromptCache } from '../../src/context-lab/replay/cache.ts';
import type { Message } from '../../src/transcript/message.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { estimateMessages, estimateText } from '../../src/transcript/tokens.ts';
import { FORGETFUL } from './ours.ts';
import type { PeerSetup } from './peer.ts';
import { openPeer } from './open-peer.ts';
import { timeOf } from './pauses.ts';
import { dollars } from './price.ts';
import { type Asked, type BenchScenario } from './scenarios.ts';

const LONGEST_MS = 150_000;

export async function peerRow(scenario: BenchScenario, { system, summariser }: Asked) {
  const { window, maxOutput, fixed, messages: recorded } = scenario;
  const facts = plantedFacts(recorded, scenario.facts);
  const memory = createFactRecall(facts);
  const bill = { cost: 0, shown: 0, asked: 0, input: 0, read: 0, faults: 0, stale: 0, rounds: 0, largest: 0 };
  const answerTo: PeerSetup['ask'] = (shown) =>
    (summariser === FORGETFUL ? [] : facts)
      .filter(({ text }) => shown.includes(text))
      .map(({ text }) => `- ${text}`)
      .join('\n') || '- nothing yet';
  const ask: PeerSetup['ask'] = (shown) => {
    const answer = answerTo(shown);
    const [input_tokens, output_tokens] = [estimateText(shown), estimateText(answer)];
    bill.shown += input_tokens;
    bill.asked += 1;
    bill.cost += dollars({ input_tokens, output_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
    return answer;
  };
  const cache = createPromptCache(CACHE_RULES, fixed, 1);
  let nowMs = 0;
  const askBehind: PeerSetup['askBehind'] = (messages) => {
    const answer = answerTo(JSON.stringify(messages));
    const usage = { ...cache.send(messages, nowMs, 'aside').usage, output_tokens: estimateText(answer) };
    bill.shown += usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    bill.asked += 1;
    bill.cost += dollars(usage);
    return answer;
  };
  const peer = await openPeer(system, { window, maxOutput, fixed, ask, askBehind, now: () => nowMs });
  const made = new Map<string, object | undefined>();
  const until = performance.now() + LONGEST_MS;
  let history: Message[] = [];
  let [tokens, note]: [number, string | undefined] = [fixed, undefined];
  let rewritten = false;
  let sentLast: Message[] = [];
  for (const [place, entry] of recorded.entries()) {
    const { origin, message } = entry;
    nowMs = timeOf(entry, place);
    if (origin === 'model' && history.length > 0) {
      if (performance.now() > until) {
        note = `stopped after ${LONGEST_MS / 1000} s, at message ${place} of ${recorded.length}`;
        break;
      }
      try {
        sentLast = await peer.next(history, tokens);
      } catch (error) {
        note = `threw at message ${place}: ${String(error instanceof Error ? error.message : error).slice(0, 140)}`;
        break;
      }
      const sent = cache.send(sentLast, timeOf(entry, place));
      if (!sent.extends) {
        rewritten = true;
        bill.rounds += 1;
        memory.check(sentLast);
        bill.stale += stale(sentLast, sent.path, made);
      }
      if (findFault(sentLast, { boundThinking: false, prefill: false }) !== undefined) bill.faults += 1;
      const usage = { ...sent.usage, output_tokens: estimateMessages([message]) };
      const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
      bill.cost += dollars(usage);
      bill.input += input;
      bill.read += usage.cache_read_input_tokens;
      bill.largest = Math.max(bill.largest, input);
      tokens = input + usage.output_tokens;
      for (const thought of thoughts(message)) made.set(thought, sent.path.at(-1));
      if (peer.rewrites === 'history') history = [...sentLast];
    } else tokens += estimateMessages([message]);
    history = [...history, message];
    memory.hear(place, `e${place + 1}`);
  }
  const remembered = memory.end(rewritten ? sentLast : history);
  return {
    faults: bill.faults,
    fits: note === undefined && bill.largest <= window - maxOutput,
    factsPlanted: facts.length,
    factsKept: facts.length - remembered.lost.length,
    factsAfterOne: { planted: remembered.first.asked, kept: remembered.first.kept },
    factsLost: remembered.lost,
    rounds: bill.rounds,
    staleThinking: bill.stale,
    summariserTokens: bill.shown,
    costUsd: Math.round(bill.cost * 100) / 100,
    cacheRead: Math.round((bill.read / Math.max(1, bill.input)) * 1000) / 1000,
    lastRequest: sentLast,
    ...(note === undefined ? {} : { note }),
  };
}

function thoughts({ content }: Message): string[] {
  return content.flatMap((block) => (block.type === 'thinking' ? [block.signature] : []));
}

function stale(
  messages: readonly Message[],
  path: readonly object[],
  made: ReadonlyMap<string, object | undefined>,
): number {
  return messages.reduce(
    (sum, message, place) =>
      sum + thoughts(message).filter((thought) => made.has(thought) && made.get(thought) !== path[place - 1]).length,
    0,
  );
}
