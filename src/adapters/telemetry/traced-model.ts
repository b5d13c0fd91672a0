/** A model whose every call is a span with the attributes of the GenAI conventions, without any message text. */
import type { Model, ModelRequest, ModelResponse } from '../../ports/model.ts';
import type { SpanFacts, Telemetry } from '../../ports/telemetry.ts';

export function tracedModel(model: Model, telemetry: Telemetry): Model {
  return {
    ...model,
    call: (request, signal, terms) =>
      telemetry.span(`chat ${request.model}`, requestFacts(request), async (tell) => {
        const response = await model.call(request, signal, terms);
        tell(answered(response));
        return response;
      }),
  };
}

function requestFacts(request: ModelRequest): SpanFacts {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': request.model,
    'gen_ai.request.max_tokens': request.max_tokens,
    'tandem.request.messages': request.messages.length,
  };
}

/** Input tokens are all that went in; what the cache gave or took is part of them. */
function answered({ id, model, requestId, stopReason, usage }: ModelResponse): SpanFacts {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  return {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [stopReason],
    'gen_ai.usage.input_tokens': input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
    'gen_ai.usage.output_tokens': output_tokens,
    'gen_ai.usage.cache_read.input_tokens': cache_read_input_tokens,
    'gen_ai.usage.cache_creation.input_tokens': cache_creation_input_tokens,
    'anthropic.request.id': requestId,
  };
}
