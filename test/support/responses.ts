/** Makers of model responses and facts for tests of everything that talks to a model. */
import type { ModelFacts, ModelResponse } from '../../src/ports/model.ts';
import type { Block, StopReason } from '../../src/transcript/message.ts';

let made = 0;

export function say(text: string, more: Partial<ModelResponse> = {}): ModelResponse {
  return response([{ type: 'text', text }], 'end_turn', more);
}

export function call(name: string, input: Record<string, unknown>, id = `toolu_${name}_${(made += 1)}`): ModelResponse {
  return response([{ type: 'tool_use', id, name, input }], 'tool_use');
}

export function response(content: Block[], stopReason: StopReason, more: Partial<ModelResponse> = {}): ModelResponse {
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 10 };
  return { id: 'msg_1', model: 'test-model', content, stopReason, usage, ...more };
}

export function facts(more: Partial<ModelFacts> = {}): ModelFacts {
  return {
    id: 'test-model',
    window: 200_000,
    maxOutput: 16_000,
    boundThinking: true,
    price: { input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 },
    source: 'table',
    ...more,
  };
}
