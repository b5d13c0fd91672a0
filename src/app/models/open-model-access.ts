/** The one composition of paid models: limits, retries, traces and records for every command and page, closed in order. */
import type { RateLimitStore } from '../../adapters/limits/rate-limit-state.ts';
import { tracedModel } from '../../adapters/telemetry/traced-model.ts';
import type { Model } from '../../ports/model.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Progress } from '../../ports/progress.ts';
import { openTelemetry } from '../open-telemetry.ts';
import type { ModelsOptions, OpenModels, ProjectSetup } from './open-models.ts';
import { join } from 'node:path';
import type { LimitsFile } from '../../adapters/limits/limits-in-sqlite.ts';
import { createModelLimiter, type ModelLimiter } from '../../adapters/limits/model-limiter.ts';
import { openRateLimiter } from '../../adapters/limits/rate-limiter.ts';
import { chooseEndpoint, getProviderName } from '../../config/endpoint.ts';
import { findLimit } from '../../config/schema.ts';
import type { Home } from '../../config/home.ts';
import { describeError } from '../../errors.ts';
import type { RateLimitWait } from '../../ports/limits.ts';

export type ModelAccessOptions = ProjectSetup & {
  progress: Progress;
  /** The caller's telemetry, which it closes itself; default: the telemetry that the environment enables. */
  telemetry?: Telemetry | undefined;
  /** Where the workers of a queue share the limits of providers; default: this process or project. */
  limits?: RateLimitStore | undefined;
};

export type ScenarioModelsOptions = Pick<ModelsOptions, 'scenario' | 'signal' | 'traffic'> & {
  /** Wraps every model call inside the limits: `--max-minutes` uses it to hold calls back. */
  around?: ((model: Model) => Model) | undefined;
};

/** The models of one scenario. */
export type ScenarioModels = Omit<OpenModels, 'close'>;

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
      // The client of the API is 300 files: a command that calls no model does not load it.
      const { openModels } = await import('./open-models.ts');
      const models = await openModels({ home, config, env, progress, again, learn, ...scenarioOptions });
      opened.push(models);
      const traced = tracedModel(models.model, telemetry, models);
      // A recording has no provider and therefore no limits.
      const limited = scenarioOptions.traffic?.replay === undefined ? limiter.limited : (model: Model) => model;
      const { close: _close, ...rest } = models;
      return { ...rest, model: limited(around(traced)) };
    },
    close: () =>
      closeInOrder([
        ...opened.map((models) => () => models.close()),
        () => limiter.close(),
        async () => (options.telemetry === undefined ? telemetry.close() : undefined),
      ]),
  };
}

type OpenModelLimiterOptions = ProjectSetup & { store: RateLimitStore | undefined; progress: Progress };

/** The shortest time between two notices that calls of one lane wait. */
const NOTICE_MS = 10_000;

/** Applies the configured limits before every model call: in the shared queue if there is one, else for all processes of the project. */
function openModelLimiter(options: OpenModelLimiterOptions): ModelLimiter & { close: () => Promise<void> } {
  const { home, config, env, store, progress } = options;
  const own = openAtFirstCall(() => openLimitsFile(config.limits.length > 0 ? home : undefined, progress));
  const limits = openRateLimiter(store ?? own);
  const places = createModelLimiter({
    limits,
    laneOf: (model) => findLimit(config.limits, getProviderName(chooseEndpoint(config, env)), model),
    tell: throttleNotices(({ lane, why, waitMs }) =>
      progress({ type: 'wait', what: `a call of ${lane}`, delayMs: waitMs, reason: why }),
    ),
  });
  const close = async (): Promise<void> => {
    limits.close();
    await own.close();
  };
  return { ...places, close };
}

/** A command refused before its first call writes nothing, and one that calls no model does not load SQLite. */
function openAtFirstCall(open: () => Promise<LimitsFile>): RateLimitStore & { close: () => Promise<void> } {
  let opened: Promise<LimitsFile> | undefined;
  return {
    ask: async (lane, ask) => (await (opened ??= open())).ask(lane, ask),
    close: async () => (await opened)?.close(),
  };
}

/** In the folder of the project, or in memory where none is given. */
async function openLimitsFile(home: Pick<Home, 'project'> | undefined, progress: Progress): Promise<LimitsFile> {
  const { limitsInSqlite } = await import('../../adapters/limits/limits-in-sqlite.ts');
  try {
    if (home !== undefined) return limitsInSqlite(join(home.project, '.tandem', 'limits.sqlite'));
  } catch (error) {
    const detail = `\`limits:\` are not shared with other processes of this project: ${describeError(error)}`;
    progress({ type: 'state', status: 'notice', detail });
  }
  return limitsInSqlite(':memory:');
}

function throttleNotices(notify: (wait: RateLimitWait) => void): (wait: RateLimitWait) => void {
  const notifiedAt = new Map<string, number>();
  return (wait) => {
    if (performance.now() - (notifiedAt.get(wait.lane) ?? -NOTICE_MS) < NOTICE_MS) return;
    notifiedAt.set(wait.lane, performance.now());
    notify(wait);
  };
}

/** A shorter pause, in milliseconds, is over before its end time would matter. */
const MIN_DATED_MS = 10_000;

/** Adds the end time to long pauses on their way to the screen. */
export function withEndTimes(progress: Progress, now: () => number = Date.now): Progress {
  return (event) => {
    const isLong = (event.type === 'retry' || event.type === 'wait') && event.delayMs > MIN_DATED_MS;
    progress(isLong ? { ...event, until: new Date(now() + event.delayMs).toISOString() } : event);
  };
}

/** Runs all in order, even when an earlier one fails; rejects with the last failure. */
export async function closeInOrder([first, ...rest]: readonly (() => Promise<void>)[]): Promise<void> {
  try {
    await first?.();
  } finally {
    if (rest.length > 0) await closeInOrder(rest);
  }
}

/** Counts retries, and changes of what models are shown, on their way to the screen. */
export function countRetries(progress: Progress, telemetry: Telemetry): Progress {
  return (event) => {
    // A worker names it `step of <run>`, which would make a new series for each run.
    if (event.type === 'retry')
      telemetry.count('tandem.retries', 1, { 'tandem.retry.what': event.what.replace(/ of .*/, '') });
    if (event.type === 'context')
      telemetry.count('tandem.context.changes', 1, {
        'gen_ai.agent.name': event.agent.split('/')[0] ?? '',
        'tandem.change': event.change.type,
      });
    progress(event);
  };
}
