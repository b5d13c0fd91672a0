/** The calls of a storm under a cap, and what a provider may bill for them: the same for the workers and for the server that tests them. */
import { computeCost, type ModelFacts, type ModelRequest } from '../../src/ports/model.ts';
import { NO_USAGE, type Usage } from '../../src/transcript/message.ts';
import { chance } from './chance.ts';
import { facts } from './responses.ts';

const RATES = { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 };
/** Prices as vendors have them, and one whose cache is written for nothing. */
const PRICES: Readonly<Record<string, ModelFacts['price']>> = {
  'storm-plain': RATES,
  'storm-bands': { ...RATES, longPrompt: { ...RATES, input: 15, output: 75, cacheWrite: 18.75, above: 6_000 } },
  'storm-free-writes': { ...RATES, cacheWrite: 0 },
};
const MODELS = Object.keys(PRICES);

/** `dearer`: the vendor has raised its prices by half, or lowered them. */
export function stormFacts(model: string, dearer: number): ModelFacts {
  const known: ModelFacts['price'] = PRICES[model] ?? RATES;
  const { longPrompt, ...rates } = known;
  const times = <T extends object>(all: T): T =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, name === 'above' ? value : Number(value) * dearer]),
    ) as T;
  const price = { ...times(rates), ...(longPrompt && { longPrompt: times(longPrompt) }) };
  return facts({ id: model, window: 20_000, price });
}

/** By seed and number alone: a call that is made again sends the same. */
export function stormRequest(seed: number, index: number): ModelRequest {
  const random = chance(seed * 1000 + index + 1);
  const below = (most: number): number => Math.floor(random() * most);
  const digits = Array.from({ length: below(6) * below(2_500) }, () => below(10)).join(',');
  const mark =
    random() < 0.5 ? { cache_control: { type: 'ephemeral', ttl: random() < 0.5 ? '1h' : '5m' } as const } : {};
  const tool = { name: 'read', description: 'Reads.', input_schema: { type: 'object' as const } };
  return {
    model: MODELS[below(MODELS.length)] ?? '',
    system: [{ type: 'text', text: `Call ${index}.`, ...mark }],
    tools: random() < 0.5 ? [tool] : [],
    max_tokens: 200 + below(4_000),
    messages: [{ role: 'user', content: [{ type: 'text', text: `${index}: ${digits}` }] }],
  };
}

type Body = { system?: unknown; tools?: unknown[]; messages?: unknown; max_tokens?: unknown };

/** What such a request may use at most, or anything below it; the input is counted as any of its kinds. */
export function hostileUsage(body: Body, random: () => number): Usage {
  const most = (share: number): number => (random() < 0.5 ? share : Math.floor(share * random()));
  const text = JSON.stringify(body.messages);
  const input = most(Math.min(20_000, Buffer.byteLength(text) + ((body.tools?.length ?? 0) > 0 ? 900 : 0)));
  const output_tokens = Math.max(1, most(Number(body.max_tokens)));
  const kind = Math.floor(random() * 3);
  if (kind === 0) return { ...NO_USAGE, input_tokens: input, output_tokens };
  if (kind === 1) return { ...NO_USAGE, cache_read_input_tokens: input, output_tokens };
  const isHourly = JSON.stringify(body.system).includes('"ttl":"1h"');
  const hourly = isHourly ? { cache_creation: { ephemeral_1h_input_tokens: input } } : {};
  return { ...NO_USAGE, cache_creation_input_tokens: input, ...hourly, output_tokens };
}

export function billOfUsage(usage: Usage, model: string, dearer: number): number {
  return computeCost(usage, stormFacts(model, dearer).price);
}
