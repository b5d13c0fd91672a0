/** The one composition of paid models: limits, retries, traces and records for every command and page, closed in order. */
import type { RateLimitStore } from '../../adapters/limits/rate-limit-state.ts';
import { tracedModel } from '../../adapters/telemetry/traced-model.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Economy } from '../../ports/economy.ts';
import type { Model } from '../../ports/model.ts';
import type { Progress } from '../../ports/progress.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { withEndTimes } from '../waits-with-end-time.ts';
import { openTelemetry } from '../open-telemetry.ts';
import { closeInOrder } from './close-in-order.ts';
import { countRetries } from './count-retries.ts';
import { aroundEconomy } from './open-economy.ts';
import { openModels, type ModelsOptions, type OpenModels, type ProjectSetup } from './open-models.ts';
import { openModelLimiter } from './open-rate-limits.ts';

export type ModelAccessOptions = ProjectSetup & {
  progress: Progress;
  /** The caller's telemetry, which it closes itself; default: the telemetry that the environment enables. */
  telemetry?: Telemetry | undefined;
  /** Where the workers of a queue share the limits of providers; default: this process or project. */
  limits?: RateLimitStore | undefined;
};

export type ScenarioModelsOptions = Pick<ModelsOptions, 'scenario' | 'signal' | 'traffic' | 'economies'> & {
  /** Wraps every model call inside the limits: `--max-minutes` uses it to hold calls back. */
  around?: ((model: Model) => Model) | undefined;
};

/** The models of one scenario; `economy` is open where the configuration wants batches. */
export type ScenarioModels = Omit<OpenModels, 'economy' | 'close'> & { economy?: Economy };

export type ModelAccess = {
  telemetry: Telemetry;
  /** Counts retries and dates long waits on their way to the caller's progress. */
  progress: Progress;
  /** Contract: each call of the model waits for the provider's limits and is one span; a rejection leaves nothing open. */
  open: (options: ScenarioModelsOptions) => Promise<ScenarioModels>;
  /** Closes the models, then the limits, then the telemetry, also when one of them fails. */
  close: () => Promise<void>;
};

/** Nothing is called and nothing is written before the first `open`. */
export async function openModelAccess(options: ModelAccessOptions): Promise<ModelAccess> {
  const { home, config, env } = options;
  const notify = (detail: string): void => options.progress({ type: 'state', status: 'notice', detail });
  const telemetry = options.telemetry ?? (await openTelemetry(env, notify));
  const progress = countRetries(withEndTimes(options.progress), telemetry);
  const limiter = openModelLimiter({ home, config, env, store: options.limits, progress });
  const opened: OpenModels[] = [];
  return {
    telemetry,
    progress,
    open: async ({ around = (model) => model, ...scenarioOptions }) => {
      const { again, learn } = limiter;
      const models = await openModels({ home, config, env, progress, again, learn, ...scenarioOptions });
      opened.push(models);
      const traced = tracedModel(models.model, telemetry, models);
      // A recording has no provider and therefore no limits.
      const limited = scenarioOptions.traffic?.replay === undefined ? limiter.limited : (model: Model) => model;
      const model = limited(around(traced));
      const { economy: openEconomy, close: _close, ...rest } = models;
      const economy = openEconomy && aroundEconomy(await openEconomy(model), around);
      return { ...rest, model, ...omitUndefined({ economy }) };
    },
    close: () =>
      closeInOrder([
        ...opened.map((models) => () => models.close()),
        async () => limiter.close(),
        async () => (options.telemetry === undefined ? telemetry.close() : undefined),
      ]),
  };
}
