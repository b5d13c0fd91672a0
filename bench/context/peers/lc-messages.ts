/** Messages of the wire as LangChain's and back, each converted once. */
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { SimpleChatModel } from '@langchain/core/language_models/chat_models';
import { getResultText } from '../../../src/transcript/transcript-lines.ts';
import type { Block, Message } from '../../../src/transcript/message.ts';
import type { Ask } from '../peer.ts';

const known = new WeakMap<Message, BaseMessage[]>();
let serial = 0;

export function toLangChain(messages: readonly Message[]): BaseMessage[] {
  return messages.flatMap((message) => {
    const done = known.get(message) ?? convert(message);
    known.set(message, done);
    return done;
  });
}

function convert({ role, content }: Message): BaseMessage[] {
  if (role === 'assistant') {
    const calls = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, args: block.input, type: 'tool_call' as const }]
        : [],
    );
    return [new AIMessage({ id: `m${(serial += 1)}`, content: content as never, tool_calls: calls })];
  }
  const results = content.flatMap((block) =>
    block.type === 'tool_result'
      ? [
          new ToolMessage({
            id: `m${(serial += 1)}`,
            tool_call_id: block.tool_use_id,
            content: getResultText(block) || '(no text)',
            name: 'tool',
          }),
        ]
      : [],
  );
  const said = content.filter(({ type }) => type === 'text' || type === 'image');
  const text = said.map((block) => (block.type === 'text' ? block.text : '(image)')).join('\n');
  return [...results, ...(said.length === 0 ? [] : [new HumanMessage({ id: `m${(serial += 1)}`, content: text })])];
}

const back = new WeakMap<BaseMessage, Message>();

/** Results in a row are one user message, as every provider adapter makes them. */
export function fromLangChain(list: readonly BaseMessage[]): Message[] {
  const messages: Message[] = [];
  for (const one of list) {
    const result = one.getType() === 'tool';
    const message = back.get(one) ?? backward(one);
    back.set(one, message);
    const last = messages.at(-1);
    if (result && last?.role === 'user' && last.content.every(({ type }) => type === 'tool_result'))
      messages[messages.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    else messages.push(message);
  }
  return messages;
}

function backward(one: BaseMessage): Message {
  const text = typeof one.content === 'string' ? one.content : one.text;
  if (one.getType() === 'tool')
    return {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: (one as ToolMessage).tool_call_id, content: text }],
    };
  if (one.getType() !== 'ai') return { role: 'user', content: [{ type: 'text', text }] };
  if (Array.isArray(one.content)) return { role: 'assistant', content: one.content as unknown as Block[] };
  const calls = ((one as AIMessage).tool_calls ?? []).map(({ id, name, args }): Block => ({
    type: 'tool_use',
    id: id ?? '',
    name,
    input: args,
  }));
  return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls] };
}

/** A chat model that is the bench's summariser. */
export class AskModel extends SimpleChatModel {
  readonly ask: Ask;
  constructor(ask: Ask, window: number) {
    super({});
    this.ask = ask;
    Object.defineProperty(this, 'profile', { value: { maxInputTokens: window } });
  }
  _llmType(): string {
    return 'bench';
  }
  async _call(messages: BaseMessage[]): Promise<string> {
    return this.ask(messages.map((message) => message.text).join('\n'));
  }
}
