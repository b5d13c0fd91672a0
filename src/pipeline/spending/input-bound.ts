/** The most input tokens that a request can have, where it continues one whose tokens the provider has counted. */
import type { ModelRequest } from '../../ports/model.ts';
import type { Usage } from '../../transcript/message.ts';

export type InputBound = {
  /** Undefined for a request that does not continue the last counted one: only its bytes bound it. */
  atMost: (request: ModelRequest) => number | undefined;
  /** What the provider counted for this request, in the order of the calls. */
  counted: (request: ModelRequest, usage: Usage) => void;
};

/** A request as text, without cache marks: they move, and are no input. `head`: all that comes before the messages. */
type RequestText = { head: string; messages: string[] };

/** Where old and new text meet, tokens may be cut in another way, and the API puts messages into words of its own. */
const SEAM_TOKENS = 200;

/** Of one conversation. Without it a context of 100,000 tokens would hold the money of its 400,000 bytes at each call. */
export function createInputBound(): InputBound {
  let last: (RequestText & { tokens: number }) | undefined;
  const texts = new WeakMap<ModelRequest, RequestText>();
  const textOf = (request: ModelRequest): RequestText => {
    const text = texts.get(request) ?? requestText(request);
    texts.set(request, text);
    return text;
  };
  return {
    atMost(request) {
      if (last === undefined) return undefined;
      const { head, messages } = textOf(request);
      const isSame = head === last.head && last.messages.every((message, index) => message === messages[index]);
      if (!isSame) return undefined;
      const added = messages.slice(last.messages.length);
      return last.tokens + added.reduce((sum, text) => sum + new TextEncoder().encode(text).length, SEAM_TOKENS);
    },
    counted(request, { input_tokens: plain, cache_creation_input_tokens: written, cache_read_input_tokens: read }) {
      const tokens = plain + written + read;
      // What a compaction reads is in no total (docs/compaction-cases.md T30).
      const isWhole = tokens > 0 && request.compaction === undefined;
      last = isWhole ? { ...textOf(request), tokens } : undefined;
    },
  };
}

function requestText({ system, tools, messages, ...rest }: ModelRequest): RequestText {
  return {
    head: JSON.stringify({ ...rest, max_tokens: 0, system: system.map(unmarked), tools: tools.map(unmarked) }),
    messages: messages.map(({ role, content }) => JSON.stringify({ role, content: content.map(unmarked) })),
  };
}

function unmarked(part: object): object {
  return { ...part, cache_control: undefined };
}
