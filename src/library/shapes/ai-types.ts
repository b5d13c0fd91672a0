/** The messages and answers of the AI SDK, as far as they are used here; the SDK's own types are assignable to them. */

import type { GivenPart } from './shape.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** Further options by provider name, such as Anthropic's cache marks and signatures. */
export type ProviderOptions = Record<string, { [key: string]: Json }>;
type WithOptions = { providerOptions?: ProviderOptions };

export type AiTextPart = WithOptions & { type: 'text'; text: string };
export type AiImagePart = WithOptions & { type: 'image'; image: string; mediaType?: string };
export type AiFilePart = WithOptions & { type: 'file'; data: string; mediaType: string; filename?: string };
export type AiReasoningPart = WithOptions & { type: 'reasoning'; text: string };
export type AiCallPart = WithOptions & {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
};
export type AiOutput =
  | { type: 'text'; value: string }
  | { type: 'json'; value: Json }
  | { type: 'error-text'; value: string }
  | { type: 'error-json'; value: Json }
  | { type: 'execution-denied'; reason?: string }
  | { type: 'content'; value: AiOutputPart[] };
export type AiOutputPart = { type: 'text'; text: string } | { type: 'image-data'; data: string; mediaType: string };
export type AiResultPart = WithOptions & {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: AiOutput;
};

/** A message of a request. */
export type AiMessage = WithOptions &
  (
    | { role: 'user'; content: string | (AiTextPart | AiImagePart | AiFilePart)[] }
    | { role: 'assistant'; content: string | (AiTextPart | AiFilePart | AiReasoningPart | AiCallPart)[] }
    | { role: 'tool'; content: AiResultPart[] }
  );

/** A message that may be pushed: any message of the AI SDK. */
export type AiGiven = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | readonly GivenPart[];
};

export type AiUsage = {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  inputTokenDetails?: { cacheReadTokens: number | undefined; cacheWriteTokens: number | undefined };
};

/** The result of `generateText`, or the awaited parts of a `streamText` result. */
export type AiAnswer = {
  responseMessages?: readonly AiGiven[];
  finishReason: string;
  /** The provider's own reason, which alone says that a turn was paused. */
  rawFinishReason?: string | undefined;
  usage: AiUsage;
  /** The first of several steps answers the request; the SDK makes the others by itself. */
  steps?: readonly { usage: AiUsage }[];
  response?: { modelId?: string; messages?: readonly AiGiven[] };
};

export type AiRequest<Tools> = {
  instructions?: { role: 'system'; content: string; providerOptions: ProviderOptions };
  messages: AiMessage[];
  maxOutputTokens: number;
  tools?: Tools;
};
