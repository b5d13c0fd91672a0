/** What a replay is set up with: the core under test, the wire rules, prices, and who writes the summaries. */
import type { Usage } from '../../transcript/message.ts';
import type { ProtocolRules } from '../../transcript/protocol.ts';
import type { Core } from '../../context/core.ts';
import type { CacheRules } from './cache.ts';
import type { Fact } from './facts.ts';
import type { Summariser } from './summariser.ts';

export type ReplayOptions = {
  core: Core;
  rules: Omit<ProtocolRules, 'rewrittenThrough'>;
  summariser: Summariser;
  facts: readonly Fact[];
  /** Real tokens per estimated one; see `fitRecorded`. */
  ratio: number;
  /** US dollars, or any other unit, of one call. */
  priceOf: (usage: Usage) => number;
  cache?: CacheRules;
};

export type Rewrite = {
  /** The compaction's entry in the replayed transcript; absent when every summary was refused and the old view stays. */
  entry?: string;
  reason: string;
  tokensBefore: number;
  tokensAfter: number;
  stepsSummarised: number;
  stepsKept: number;
  cacheTokensLost: number;
  /** Of all summary calls, refused ones too. */
  usage: Usage;
  cost: number;
  refused: string[];
};

export const NO_USAGE: Usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    cache_creation_input_tokens: one.cache_creation_input_tokens + other.cache_creation_input_tokens,
    cache_read_input_tokens: one.cache_read_input_tokens + other.cache_read_input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
  };
}
