/** What finished spans add to the metrics: duration and tokens of model calls, outcomes of samples. */
import type { SpanFacts } from '../../ports/telemetry.ts';
import type { Meters } from './meters.ts';

/** What the GenAI conventions want on both of their metrics. */
const SHARED = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.response.model'];

export function spanMetrics(facts: SpanFacts, durationMs: number, meters: Meters): void {
  if (facts['gen_ai.operation.name'] === 'chat') chatMetrics(facts, durationMs, meters);
  const outcome = facts['tandem.sample.outcome'];
  if (typeof outcome === 'string') meters.add('tandem.samples', 1, { 'tandem.sample.outcome': outcome });
}

function chatMetrics(facts: SpanFacts, durationMs: number, meters: Meters): void {
  const shared = Object.fromEntries(SHARED.flatMap((key) => (facts[key] === undefined ? [] : [[key, facts[key]]])));
  const error = facts['error.type'];
  const failed = error === undefined ? {} : { 'error.type': error };
  meters.add('gen_ai.client.operation.duration', durationMs / 1000, { ...shared, ...failed });
  for (const type of ['input', 'output']) {
    const tokens = facts[`gen_ai.usage.${type}_tokens`];
    if (typeof tokens === 'number')
      meters.add('gen_ai.client.token.usage', tokens, { ...shared, 'gen_ai.token.type': type });
  }
}
