/** The shapes against the vendors' own types: what they give may be pushed, what comes out may be sent. Checked by `tsc`. */
import type Anthropic from '@anthropic-ai/sdk';
import type { generateText, ModelMessage } from 'ai';
import type OpenAI from 'openai';
import { expectTypeOf, test } from 'vitest';
import type { AiAnswer, AiGiven, AiMessage, AiRequest } from '../../../src/library/shapes/ai-types.ts';
import type {
  ChatAnswer,
  ChatGiven,
  ChatMessage,
  ChatRequest,
  ChatTool,
} from '../../../src/library/shapes/chat-types.ts';
import type { Context } from '../../../src/library/context-types.ts';
import type { aiSdk } from '../../../src/library/shapes/ai-sdk.ts';
import type { betaMessagesApi, messagesApi } from '../../../src/library/shapes/anthropic-messages.ts';

type Chat = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type Generated = Awaited<ReturnType<typeof generateText>>;

test('the Messages API takes and gives what its shape says', () => {
  type Shape = ReturnType<typeof messagesApi>;
  expectTypeOf<Anthropic.MessageParam | Anthropic.Message>().toExtend<Parameters<Shape['read']>[0]>();
  expectTypeOf<ReturnType<Shape['write']>>().toExtend<Anthropic.MessageCreateParamsNonStreaming>();
  type Beta = ReturnType<typeof betaMessagesApi>;
  expectTypeOf<Anthropic.Beta.Messages.BetaMessage>().toExtend<Parameters<Beta['read']>[0]>();
  expectTypeOf<ReturnType<Beta['write']>>().toExtend<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming>();
});

test('Chat Completions takes and gives what its shape says', () => {
  expectTypeOf<OpenAI.Chat.Completions.ChatCompletionMessageParam>().toExtend<ChatGiven>();
  expectTypeOf<OpenAI.Chat.Completions.ChatCompletion>().toExtend<ChatAnswer>();
  expectTypeOf<OpenAI.Chat.Completions.ChatCompletionTool>().toExtend<ChatTool>();
  expectTypeOf<ChatMessage>().toExtend<OpenAI.Chat.Completions.ChatCompletionMessageParam>();
  expectTypeOf<ChatRequest>().toExtend<Chat>();
});

test('the AI SDK takes and gives what its shape says', () => {
  expectTypeOf<ModelMessage>().toExtend<AiGiven>();
  expectTypeOf<Generated>().toExtend<AiAnswer>();
  expectTypeOf<AiMessage>().toExtend<ModelMessage>();
  type Tools = NonNullable<Parameters<typeof generateText>[0]['tools']>;
  expectTypeOf<Tools>().toExtend<Parameters<typeof aiSdk>[0]>();
  type Sent = Pick<Parameters<typeof generateText>[0], 'instructions' | 'tools' | 'maxOutputTokens'>;
  expectTypeOf<Omit<AiRequest<Tools>, 'messages'>>().toExtend<Sent>();
});

test('messages that are written out by hand compile for every shape', () => {
  const messages: Context<Parameters<ReturnType<typeof messagesApi>['read']>[0], never, never>['push'] = () =>
    undefined;
  const chat: Context<ChatGiven, ChatAnswer, never>['push'] = () => undefined;
  const ai: Context<AiGiven, AiAnswer, never>['push'] = () => undefined;
  const png = 'iVBORw0KGgo=';
  messages({ role: 'user', content: [{ type: 'text', text: 'hi' }] });
  chat({ role: 'user', content: [{ type: 'text', text: 'hi' }] });
  ai({ role: 'user', content: [{ type: 'text', text: 'hi' }] });
  messages({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }],
  });
  messages({
    role: 'user',
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
  });
  messages({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] });
  chat({ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] });
  chat({ role: 'tool', tool_call_id: 't', content: [{ type: 'text', text: 'x' }] });
  chat({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 't', type: 'function', function: { name: 'r', arguments: '{}' } }],
  });
  ai({ role: 'user', content: [{ type: 'image', image: png, mediaType: 'image/png' }] });
  ai({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't', toolName: 'read', input: {} }] });
  ai({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 't', toolName: 'read', output: { type: 'text', value: 'x' } }],
  });
});
