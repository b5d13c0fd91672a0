/** One trial of a sample as a span, with what came of it. */
import type { EvaluateInput } from '../../evaluation/evaluate.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export function tracedTrial(telemetry: Telemetry, iteration: number): NonNullable<EvaluateInput['aroundTrial']> {
  return (sample, trial, work) => {
    const facts = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'subject',
      'tandem.sample': sample,
      'tandem.trial': trial,
      'tandem.iteration': iteration,
    };
    return telemetry.span(`sample ${sample}`, facts, async (tell) => {
      const done = await work();
      const { outcome, stop, costUsd } = done.result;
      tell({
        'tandem.sample.outcome': outcome,
        'tandem.sample.stop': stop,
        'tandem.cost_usd': costUsd,
        'tandem.sample.tools': done.tools,
        ...(outcome === 'unscored' ? { 'error.type': 'unscored' } : {}),
      });
      return done;
    });
  };
}
