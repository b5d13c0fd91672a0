/** The setup of a replay: the core under test, the wire rules, prices, and who writes the summaries. */
import type { CompactionReceipt } from '../../transcript/compaction-receipt.ts';
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
  /** Returns the price of one call, in US dollars or any other unit. */
  priceOf: (usage: Usage) => number;
  cache?: CacheRules;
};

export type Rewrite = Pick<
  CompactionReceipt,
  'reason' | 'tokensBefore' | 'tokensAfter' | 'stepsSummarised' | 'stepsKept' | 'cacheTokensLost'
> & {
  /** The compaction's entry in the replayed transcript; absent when every summary was refused and the old view stays. */
  entry?: string;
  /** Usage of all summary calls, including refused ones. */
  usage: Usage;
  cost: number;
  refused: string[];
};
