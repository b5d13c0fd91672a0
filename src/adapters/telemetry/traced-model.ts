/** Wraps a model so that every call is a span with the attributes of the GenAI conventions, without message text. */
import {
  computeCost,
  type Model,
  type ModelCatalogue,
  type ModelRequest,
  type ModelResponse,
} from '../../ports/model.ts';
import type { SpanFacts, Telemetry } from '../../ports/telemetry.ts';

export type TracedModelOptions = {
  /** The address of the requests; a name that is no URL is left out. */
  endpoint: string;
  /** A model missing in the catalogue has no price. */
  catalogue: ModelCatalogue;
};

export function tracedModel(model: Model, telemetry: Telemetry, { endpoint, catalogue }: TracedModelOptions): Model {
  const server = toServerFacts(endpoint);
  return {
    ...model,
    call: (request, signal, terms) => {
      const facts = { ...toRequestFacts(request), ...server, 'gen_ai.agent.name': terms?.agent };
      return telemetry.span(`chat ${request.model}`, facts, async (tell) => {
        const response = await model.call(request, signal, terms);
        const price = (await catalogue.describe(request.model, signal).catch(() => undefined))?.price;
        tell({ ...toResponseFacts(response), 'tandem.cost_usd': price && computeCost(response.usage, price) });
        return response;
      });
    },
  };
}

function toServerFacts(endpoint: string): SpanFacts {
  if (!URL.canParse(endpoint)) return {};
  const { hostname, port, protocol } = new URL(endpoint);
  const usual = protocol === 'http:' ? 80 : 443;
  return { 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}

function toRequestFacts(request: ModelRequest): SpanFacts {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': request.model,
    'gen_ai.request.max_tokens': request.max_tokens,
    'tandem.request.messages': request.messages.length,
  };
}

/** Input tokens are the total: those read from the cache or written to it are included. */
function toResponseFacts({ id, model, requestId, stopReason, usage }: ModelResponse): SpanFacts {
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
