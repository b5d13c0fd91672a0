/** pi: its compaction functions on its own session entries, with its default settings. */
import { getResultText } from '../../../src/transcript/transcript-lines.ts';
import type { Block, Message } from '../../../src/transcript/message.ts';
import type { OpenPeer } from '../peer.ts';

const ROOT = new URL('../node_modules/@earendil-works/pi-coding-agent/dist/core/', import.meta.url);
type PiMessage = { role: string; content: unknown; [key: string]: unknown };
type PiEntry = { type: string; id: string; parentId: string | null; timestamp: string; [key: string]: unknown };

export const openPi: OpenPeer = async ({ ask, window }) => {
  const { prepareCompaction, compact, shouldCompact, DEFAULT_COMPACTION_SETTINGS } = await import(
    new URL('compaction/compaction.js', ROOT).href
  );
  const { buildSessionContext } = await import(new URL('session-manager.js', ROOT).href);
  const { convertToLlm } = await import(new URL('messages.js', ROOT).href);
  const entries: PiEntry[] = [];
  let taken = 0;
  const add = (entry: Record<string, unknown>): string => {
    const id = `p${entries.length + 1}`;
    entries.push({
      id,
      parentId: entries.at(-1)?.id ?? null,
      timestamp: new Date(entries.length).toISOString(),
      ...entry,
    } as PiEntry);
    return id;
  };
  const model = {
    id: 'bench',
    provider: 'anthropic',
    api: 'anthropic-messages',
    contextWindow: window,
    maxTokens: 64_000,
    reasoning: false,
    input: ['text'],
  };
  const streamFn = async (_model: unknown, context: { messages: PiMessage[] }) => ({
    result: async () => answer(ask(context.messages.map(({ content }) => textIn(content)).join('\n'))),
  });
  return {
    rewrites: 'view',
    async next(history, tokens) {
      for (const message of history.slice(taken))
        for (const one of toPi(message)) add({ type: 'message', message: one });
      taken = history.length;
      if (shouldCompact(tokens, window, DEFAULT_COMPACTION_SETTINGS)) {
        const prepared = prepareCompaction(entries, DEFAULT_COMPACTION_SETTINGS);
        if (prepared !== undefined) {
          const made = await compact(prepared, model, 'key', undefined, undefined, undefined, undefined, streamFn);
          add({
            type: 'compaction',
            summary: made.summary,
            firstKeptEntryId: made.firstKeptEntryId,
            tokensBefore: made.tokensBefore,
            details: made.details,
          });
        }
      }
      return fromPi(convertToLlm(buildSessionContext(entries).messages));
    },
  };
};

function answer(text: string) {
  const usage = {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    stopReason: 'stop',
    usage,
    timestamp: 0,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'bench',
  };
}

function toPi({ role, content }: Message): PiMessage[] {
  if (role === 'assistant') return [{ ...answer(''), content: content.map(partOf) }];
  const results = content.flatMap((block): PiMessage[] =>
    block.type === 'tool_result'
      ? [
          {
            role: 'toolResult',
            toolCallId: block.tool_use_id,
            toolName: 'tool',
            content: [{ type: 'text', text: getResultText(block) }],
            isError: false,
            timestamp: 0,
          },
        ]
      : [],
  );
  const said = content.filter(({ type }) => type === 'text');
  return [...results, ...(said.length === 0 ? [] : [{ role: 'user', content: said.map(partOf), timestamp: 0 }])];
}

function partOf(block: Block): Record<string, unknown> {
  if (block.type === 'tool_use') return { type: 'toolCall', id: block.id, name: block.name, arguments: block.input };
  if (block.type === 'thinking')
    return { type: 'thinking', thinking: block.thinking, thinkingSignature: block.signature };
  return { ...block };
}

function fromPi(list: readonly PiMessage[]): Message[] {
  const messages: Message[] = [];
  for (const one of list) {
    const last = messages.at(-1);
    if (one.role === 'toolResult') {
      const result: Block = {
        type: 'tool_result',
        tool_use_id: String(one['toolCallId']),
        content: textIn(one.content),
      };
      if (last?.role === 'user' && last.content.every(({ type }) => type === 'tool_result'))
        messages[messages.length - 1] = { role: 'user', content: [...last.content, result] };
      else messages.push({ role: 'user', content: [result] });
    } else messages.push({ role: one.role === 'assistant' ? 'assistant' : 'user', content: blocksIn(one.content) });
  }
  return messages;
}

function blocksIn(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content as Record<string, unknown>[]).flatMap((part): Block[] => {
    if (part['type'] === 'toolCall')
      return [
        {
          type: 'tool_use',
          id: String(part['id']),
          name: String(part['name']),
          input: part['arguments'] as Record<string, unknown>,
        },
      ];
    if (part['type'] === 'thinking')
      return [
        { type: 'thinking', thinking: String(part['thinking']), signature: String(part['thinkingSignature'] ?? '') },
      ];
    return [{ type: 'text', text: String(part['text']) }];
  });
}

function textIn(content: unknown): string {
  return typeof content === 'string'
    ? content
    : (content as { text?: string }[]).map(({ text }) => text ?? '').join('\n');
}
