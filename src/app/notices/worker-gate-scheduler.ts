/** Runs the gate scheduler in every worker, so that reminders do not depend on `tandem serve`. */
import type { Home } from '../../config/home.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import { isHarnessError } from '../../errors.ts';
import {
  gateSchedulerLease,
  startGateScheduler,
  type GateScheduler,
  type GateSchedulerOptions,
} from './gate-scheduler.ts';

export type WorkerGateSchedulerOptions = Pick<GateSchedulerOptions, 'read' | 'env' | 'secret' | 'log'> & { home: Home };

const ELSEWHERE = 'Notices are left to tandem serve; reminders and expiry are looked after here too.';

/** Contract: a worker that cannot send notices does everything else, and logs the reason once. */
export async function startWorkerGateScheduler(options: WorkerGateSchedulerOptions): Promise<GateScheduler> {
  const { home, read, log } = options;
  const reviewers = await loadReviewers(home);
  const base = reviewers.base_url?.replace(/\/+$/, '');
  const common = { ...options, project: home.project, reviewers, lease: gateSchedulerLease(read) };
  if (base === undefined && reviewers.notices.length > 0)
    log(`config/reviewers.yaml names no base_url that a notice could lead to. ${ELSEWHERE}`);
  try {
    return startGateScheduler({ ...common, base });
  } catch (error) {
    if (!isHarnessError(error, 'config_invalid')) throw error;
    log(`${error.message} ${ELSEWHERE}`);
    return startGateScheduler({ ...common, base: undefined });
  }
}
