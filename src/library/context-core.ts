/** The context core and its façade for any agent; packages/context publishes exactly this, without any dependency. */
import './node-version.ts';
// An agent of your own takes fifteen lines: see docs/context-library.md and examples/own-agent/.
export { openContext } from './open-context.ts';
export type { Context, ContextModel, ContextOptions, ContextReceipt, RequestOptions } from './context-types.ts';
export { aiSdk, type AiShape } from './shapes/ai-sdk.ts';
export type { AiAnswer, AiGiven, AiMessage, AiRequest } from './shapes/ai-types.ts';
export { chatCompletions, type ChatShape } from './shapes/chat-completions.ts';
export type { ChatAnswer, ChatGiven, ChatMessage, ChatRequest, ChatTool } from './shapes/chat-types.ts';
export { betaMessagesApi, messagesApi } from './shapes/anthropic-messages.ts';
export type { BetaMessagesShape, MessagesShape } from './shapes/anthropic-messages.ts';
export type { ReadMessages, ReadResponse, Shape } from './shapes/shape.ts';
export { HarnessError, isHarnessError, type ErrorCode } from '../errors.ts';

// The core by itself; the comment at the top of src/context/index.ts gives the order of its functions.
export * from '../context/index.ts';
/** The names of version 0.1, kept for programs that use them. */
export { createIncrementalView as createFollower, type IncrementalView as Follower } from '../context/index.ts';

// Policies, prompts and summary fields by name.
export { findHome, type Home } from '../config/home.ts';
export { loadCore } from '../config/load-core.ts';
