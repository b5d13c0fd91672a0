/** Messages, tools and answers of Chat Completions, as far as they are used; the vendor's types are assignable. */

import type { GivenPart } from './shape.ts';

export type ChatTextPart = { type: 'text'; text: string };
export type ChatPart =
  | ChatTextPart
  | { type: 'image_url'; image_url: { url: string; detail?: 'auto' | 'low' | 'high' } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }
  | { type: 'file'; file: { file_data?: string; file_id?: string; filename?: string } };

export type ChatToolCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } };

/** A message of a request. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ChatPart[]; name?: string }
  | { role: 'assistant'; content: string | ChatTextPart[] | null; tool_calls?: ChatToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string | ChatTextPart[] };

/** A message that may be pushed: one made by hand, or the message of an answer. */
export type ChatGiven = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';
  content?: string | readonly GivenPart[] | null;
  name?: string;
  refusal?: string | null;
  tool_call_id?: string;
  tool_calls?: readonly ChatToolCall[];
};

export type ChatAnswer = {
  model: string;
  choices: readonly { finish_reason: string | null; message: ChatGiven }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens?: number };
  };
};

export type ChatTool =
  | {
      type: 'function';
      function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean | null };
    }
  | { type: 'custom'; custom: { name: string; description?: string } };

export type ChatRequest = {
  model: string;
  messages: ChatMessage[];
  max_completion_tokens: number;
  tools?: ChatTool[];
};
