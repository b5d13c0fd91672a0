/** Real sessions of the pi coding agent in the shape of Claude Code, which the importer reads. */
type PiBlock = { type: string; [field: string]: unknown };
type PiMessage = {
  role: string;
  content?: string | PiBlock[];
  model?: string;
  stopReason?: string;
  toolCallId?: string;
  isError?: boolean;
  command?: string;
  output?: string;
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
};
type PiLine = { type: string; id?: string; parentId?: string | null; tokensBefore?: number; message?: PiMessage };

export function toClaudeCode(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, place) => JSON.stringify(toLine(JSON.parse(line) as PiLine, place))).join('\n');
}

function toLine({ type, id, parentId, tokensBefore, message }: PiLine, place: number): object {
  const base = {
    sessionId: 's',
    uuid: id ?? `line-${place}`,
    ...(parentId === undefined ? {} : { parentUuid: parentId }),
  };
  if (type === 'compaction')
    return {
      ...base,
      ...{ type: 'system', subtype: 'compact_boundary', logicalParentUuid: parentId },
      compactMetadata: { preTokens: tokensBefore },
    };
  if (message === undefined) return { ...base, type };
  const { role, content, model, stopReason, usage = {} } = message;
  if (role === 'assistant') {
    const counts = {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite,
    };
    const answer = { id: `msg_${place}`, role, model, content: toBlocks(content), usage: counts };
    return { ...base, type: role, isApiErrorMessage: stopReason === 'error', message: answer };
  }
  return { ...base, type: 'user', message: { role: 'user', content: toUserContent(message) } };
}

function toUserContent({ role, content, toolCallId, isError, command, output }: PiMessage): unknown {
  if (role === 'bashExecution') return `Ran by the person: ${command ?? ''}\n${output ?? ''}`;
  if (role !== 'toolResult') return toBlocks(content);
  return [{ type: 'tool_result', tool_use_id: toolCallId, content: toBlocks(content), is_error: isError }];
}

function toBlocks(content: PiMessage['content']): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block) => {
    if (block.type === 'toolCall') return { ...block, type: 'tool_use', input: block['arguments'] };
    if (block.type === 'thinking') return { ...block, signature: block['thinkingSignature'] };
    if (block.type !== 'image') return block;
    return { type: 'image', source: { type: 'base64', media_type: block['mimeType'], data: block['data'] } };
  });
}
