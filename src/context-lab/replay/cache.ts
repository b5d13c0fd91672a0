/** The prompt cache of the API: which part of each request is read, written, or neither (docs/internals/api-rules.md §2.6). */
import { sameJson } from '../../scenario/json/json-value.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { Block, Message, Usage } from '../../transcript/message.ts';
import { markForCache } from '../../context/view/cache-marks.ts';

export type CacheRules = {
  /** Shorter prefixes are not cached. */
  minimum: number;
  /** Blocks before a mark, its own counted in, in which an earlier write is found. */
  lookback: number;
  ttlMs: number;
};

/** The marks of five minutes that `markForCache` sets; 4,096 is the safe minimum where none is published. */
export const CACHE_RULES: CacheRules = { minimum: 4096, lookback: 20, ttlMs: 300_000 };

/** One beginning of a request; every different one is another node, so equal prefixes are the same node. */
type Prefix = {
  message: Message | undefined;
  parent: Prefix | undefined;
  /** Estimated tokens and blocks up to here, the fixed part among them. */
  tokens: number;
  blocks: number;
  /** The time until which it is cached, in ms; -Infinity when it was never written. */
  until: number;
  next: Prefix[];
};

export type SentRequest = {
  usage: Omit<Usage, 'output_tokens'>;
  /** The prefixes of this request, the shortest first: equal objects are equal prefixes. */
  path: readonly object[];
  /** The whole request before was a beginning of this one. */
  extends: boolean;
};

export type PromptCache = {
  /** The next request cannot extend one that is `aside`, such as a summary request. */
  send(messages: readonly Message[], nowMs: number, aside?: 'aside'): SentRequest;
  /** No part of the last request is cached any more. */
  isCold(nowMs: number): boolean;
};

/** `fixed` is the estimate of system prompt and tools; `ratio` real tokens per estimated one. */
export function createPromptCache(rules: CacheRules, fixed: number, ratio: number): PromptCache {
  const until = Number.NEGATIVE_INFINITY;
  const root: Prefix = { message: undefined, parent: undefined, tokens: fixed, blocks: 0, until, next: [] };
  let last = root;
  let warmUntil = Number.POSITIVE_INFINITY;
  return {
    isCold: (nowMs) => nowMs >= warmUntil,
    send(messages, nowMs, aside) {
      const path = toPrefixPath(root, messages);
      const marks = [root, ...markedPlaces(messages).flatMap((place) => path[place] ?? [])].filter(
        ({ tokens }) => tokens * ratio >= rules.minimum,
      );
      const hit = findHit(marks, rules.lookback, nowMs);
      const reached = marks.at(-1);
      const real = (tokens: number) => Math.round(tokens * ratio);
      const total = real((path.at(-1) ?? root).tokens);
      const read = real(hit?.tokens ?? 0);
      const written = Math.max(0, real(reached?.tokens ?? 0) - read);
      for (const prefix of hit === undefined ? marks : [hit, ...marks]) prefix.until = nowMs + rules.ttlMs;
      warmUntil = nowMs + rules.ttlMs;
      const grows = last === root || path.includes(last);
      if (aside === undefined) last = path.at(-1) ?? root;
      return {
        usage: {
          input_tokens: total - read - written,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: written,
        },
        path,
        extends: grows,
      };
    },
  };
}

function toPrefixPath(root: Prefix, messages: readonly Message[]): Prefix[] {
  let at = root;
  return messages.map((message) => {
    at = at.next.find((known) => sameJson(known.message, message)) ?? addPrefix(at, message);
    return at;
  });
}

function addPrefix(parent: Prefix, message: Message): Prefix {
  const prefix: Prefix = {
    message,
    parent,
    tokens: parent.tokens + estimateMessages([message]),
    blocks: parent.blocks + message.content.length,
    until: Number.NEGATIVE_INFINITY,
    next: [],
  };
  parent.next.push(prefix);
  return prefix;
}

/** Returns the indices of the marked messages, taken from the function that sets the marks. */
function markedPlaces(messages: readonly Message[]): number[] {
  const marked = markForCache<object, object, Block>({ system: [], tools: [], messages });
  return marked.messages.flatMap(({ content }, place) => (content.at(-1)?.cache_control === undefined ? [] : [place]));
}

/** Finds the longest prefix that is still cached, searching back from each mark, the latest mark first. */
function findHit(marks: readonly Prefix[], lookback: number, nowMs: number): Prefix | undefined {
  for (const mark of marks.toReversed())
    for (let at: Prefix | undefined = mark; at !== undefined && mark.blocks - at.blocks < lookback; at = at.parent)
      if (at.until > nowMs) return at;
  return undefined;
}
