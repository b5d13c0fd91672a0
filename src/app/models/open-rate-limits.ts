/** Applies the configured limits before every model call: in the shared queue if there is one, else for all processes of the project. */
import { join } from 'node:path';
import { limitsInSqlite, type LimitsFile } from '../../adapters/limits/limits-in-sqlite.ts';
import type { RateLimitStore } from '../../adapters/limits/rate-limit-state.ts';
import { createModelLimiter, type ModelLimiter } from '../../adapters/limits/model-limiter.ts';
import { openRateLimiter } from '../../adapters/limits/rate-limiter.ts';
import { chooseEndpoint, getProviderName } from '../../config/endpoint.ts';
import { findLimit } from '../../config/limits.ts';
import type { Home } from '../../config/home.ts';
import { describeError } from '../../errors.ts';
import type { RateLimitWait } from '../../ports/limits.ts';
import type { Progress } from '../../ports/progress.ts';
import type { ProjectSetup } from './open-models.ts';

export type OpenModelLimiterOptions = Omit<ProjectSetup, 'home'> & {
  home: Pick<Home, 'project'>;
  store?: RateLimitStore | undefined;
  progress: Progress;
};

/** The shortest time between two notices that calls of one lane wait. */
const NOTICE_MS = 10_000;

export function openModelLimiter(options: OpenModelLimiterOptions): ModelLimiter & { close: () => void } {
  const { home, config, env, store, progress } = options;
  const own = config.limits.length > 0 ? inProject(home, progress) : limitsInSqlite(':memory:');
  const limits = openRateLimiter(store ?? own);
  const places = createModelLimiter({
    limits,
    laneOf: (model) => findLimit(config.limits, getProviderName(chooseEndpoint(config, env)), model),
    tell: throttleNotices(({ lane, why, waitMs }) =>
      progress({ type: 'wait', what: `a call of ${lane}`, delayMs: waitMs, reason: why }),
    ),
  });
  const close = (): void => {
    limits.close();
    own.close();
  };
  return { ...places, close };
}

/** Opened by the first call, so that a command refused before it writes nothing. */
function inProject({ project }: Pick<Home, 'project'>, progress: Progress): LimitsFile {
  let opened: LimitsFile | undefined;
  const open = (): LimitsFile => {
    try {
      return limitsInSqlite(join(project, '.tandem', 'limits.sqlite'));
    } catch (error) {
      const detail = `\`limits:\` are not shared with other processes of this project: ${describeError(error)}`;
      progress({ type: 'state', status: 'notice', detail });
      return limitsInSqlite(':memory:');
    }
  };
  return {
    ask: async (lane, ask) => (opened ??= open()).ask(lane, ask),
    close: () => opened?.close(),
  };
}

function throttleNotices(notify: (wait: RateLimitWait) => void): (wait: RateLimitWait) => void {
  const notifiedAt = new Map<string, number>();
  return (wait) => {
    if (performance.now() - (notifiedAt.get(wait.lane) ?? -NOTICE_MS) < NOTICE_MS) return;
    notifiedAt.set(wait.lane, performance.now());
    notify(wait);
  };
}
