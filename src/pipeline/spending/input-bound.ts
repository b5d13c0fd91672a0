/** Bounds the input tokens of a request that continues one whose tokens the provider has counted. */
import { getOrCreate } from '../../get-or-create.ts';
import type { ModelRequest } from '../../ports/model.ts';
import { inputTokens, type Usage } from '../../transcript/message.ts';
import { CACHE_MS } from './call-cost.ts';

export type InputBound = {
  /** Undefined for a request that does not continue the last counted one: only its bytes bound it. */
  atMost: (request: ModelRequest) => number | undefined;
  /** The tokens of the counted request that this one continues, while they are surely in the provider's cache. */
  continues: (request: ModelRequest) => number | undefined;
  /** Records the provider's count for this request, answered `at` that time, in the order of the calls. */
  counted: (request: ModelRequest, usage: Usage, at?: string) => void;
};

/** A request as text without cache marks, which move and are no input. `head` is all that precedes the messages. */
type RequestText = { head: string; messages: string[] };

/** Allowance for other token borders where old and new text meet, and for words that the API adds to messages. */
const SEAM_TOKENS = 200;

/** Bounds one conversation's calls. Otherwise 100,000 tokens of context would reserve money for 400,000 bytes. */
export function createInputBound(): InputBound {
  let last: (RequestText & { tokens: number; at: string }) | undefined;
  const texts = new WeakMap<ModelRequest, RequestText>();
  const textOf = (request: ModelRequest): RequestText => getOrCreate(texts, request, () => toRequestText(request));
  const findContinued = (request: ModelRequest): { tokens: number; added: string[] } | undefined => {
    if (last === undefined) return undefined;
    const { head, messages } = textOf(request);
    const isSame = head === last.head && last.messages.every((message, index) => message === messages[index]);
    return isSame ? { tokens: last.tokens, added: messages.slice(last.messages.length) } : undefined;
  };
  return {
    continues: (request) => {
      const isCached = Date.now() - Date.parse(last?.at ?? '') < CACHE_MS;
      return isCached ? findContinued(request)?.tokens : undefined;
    },
    atMost(request) {
      const found = findContinued(request);
      return found?.added.reduce((sum, text) => sum + Buffer.byteLength(text), found.tokens + SEAM_TOKENS);
    },
    counted(request, usage, at) {
      const tokens = inputTokens(usage);
      // The totals do not include what a compaction reads (docs/internals/compaction-cases.md T30).
      const isWhole = tokens > 0 && request.compaction === undefined;
      last = isWhole ? { ...textOf(request), tokens, at: at ?? '' } : undefined;
    },
  };
}

function toRequestText({ system, tools, messages, ...rest }: ModelRequest): RequestText {
  return {
    head: JSON.stringify({
      ...rest,
      max_tokens: 0,
      system: system.map(withoutCacheMark),
      tools: tools.map(withoutCacheMark),
    }),
    messages: messages.map(({ role, content }) => JSON.stringify({ role, content: content.map(withoutCacheMark) })),
  };
}

function withoutCacheMark(part: object): object {
  return { ...part, cache_control: undefined };
}
