/** The health of a worker: `/livez` for supervisors that restart it, `/healthz` for readiness checks, `/metrics` for Prometheus. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { describeError, usageError } from '../../errors.ts';
import {
  measuredFamilies,
  createCounter,
  createGauge,
  prometheusText,
  PROMETHEUS_TEXT,
  type MetricFamily,
} from '../metrics/project-metrics.ts';
import type { LaneSignals } from '../../adapters/bullmq/queue-signals.ts';
import type { OpenWorker } from './open-worker.ts';

export type HealthOptions = {
  worker: OpenWorker;
  lanes: readonly string[];
  reconcileMs: number;
  /** Returns the metrics of the project, which every process reports. */
  project: () => Promise<MetricFamily[]>;
  /** Port 0 takes a free one. */
  listen: { host: string; port: number };
  /** The token for the metrics and the reasons; undefined when everyone may read them. */
  token?: string | undefined;
};

export type Health = { port: number; close: () => Promise<void> };

/** In milliseconds: jobs that wait this long beside a free place mean that the worker takes no more. */
const DEAF_MS = 60_000;
const ANSWER_MS = 3_000;
/** The number of reconcile intervals that may be missed. */
const LATE = 4;

export async function serveHealth(options: HealthOptions): Promise<Health> {
  const { host, port } = options.listen;
  const outage: Outage = { at: Number.NEGATIVE_INFINITY };
  const server = createServer((request, response) => {
    void answerRequest(request, { ...options, outage })
      .catch((error: unknown) => ({ status: 500, type: 'text/plain', body: `${describeError(error)}\n` }))
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(usageError(`${host}:${port} cannot be listened on: ${describeError(cause)}.`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The time at which a server was last found unreachable. */
type Outage = { at: number };

async function answerRequest(
  request: IncomingMessage,
  options: HealthOptions & { outage: Outage },
): Promise<{ status: number; type: string; body: string }> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const mayRead = options.token === undefined || isBearer(request.headers.authorization, options.token);
  const [counts, oldest, store] = await Promise.all([
    withTimeout('the queue', options.worker.queue.signs.counts()),
    withTimeout('the queue', options.worker.queue.signs.oldest()),
    withTimeout('the store', options.worker.storeAwaited()),
  ]);
  if (path === '/healthz' || path === '/livez') {
    const { outage, reconcileMs } = options;
    if (typeof counts === 'string' || store !== undefined) outage.at = performance.now();
    // `/livez` fails only for faults that a restart may cure. An outage of a server is none: a new worker would wait for it too.
    const isExcused = path === '/livez' && performance.now() - outage.at < LATE * reconcileMs;
    const faults = isExcused ? [] : [...(store === undefined ? [] : [store]), ...listFaults(counts, options)];
    const ok = faults.length === 0;
    const said = { ok, faults: mayRead ? faults : faults.length, ...(mayRead && toOldestField(oldest)) };
    return { status: ok ? 200 : 503, type: 'application/json', body: JSON.stringify(said) };
  }
  if (path !== '/metrics')
    return { status: 404, type: 'text/plain', body: 'There are /healthz, /livez and /metrics.\n' };
  if (mayRead) return { status: 200, type: PROMETHEUS_TEXT, body: await renderMetrics(counts, oldest, options) };
  return { status: 401, type: 'text/plain', body: 'The metrics need a token: Authorization: Bearer <token>.\n' };
}

/** Compares digests, so that the time reveals nothing about the token. */
function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}

type LaneCounts = LaneSignals[] | string;
type OldestJobs = { lane: string; waitsMs: number }[] | string;

function toOldestField(oldest: OldestJobs): object {
  if (typeof oldest === 'string' || oldest.length === 0) return {};
  return { oldestJobSeconds: Math.round(Math.max(...oldest.map(({ waitsMs }) => waitsMs)) / 1000) };
}

/** Resolves to the answer or to an error text, because an unreachable server may never answer. */
async function withTimeout<Answer>(who: string, answering: Promise<Answer>): Promise<Answer | string> {
  const late = new Promise<string>((resolve) => {
    setTimeout(resolve, ANSWER_MS, `${who} did not answer within ${ANSWER_MS} ms`).unref();
  });
  return Promise.race([answering.catch((error: unknown) => `${who} does not answer: ${describeError(error)}`), late]);
}

/** A ping proves nothing: a worker can be connected and deaf (https://github.com/taskforcesh/bullmq/issues/4585). */
function listFaults(counts: LaneCounts, { worker, lanes, reconcileMs }: HealthOptions): string[] {
  const sinceMs = worker.sinceReconciledMs();
  const stale =
    sinceMs > LATE * reconcileMs ? [`the runs were last looked at ${Math.round(sinceMs / 1000)} s ago`] : [];
  if (typeof counts === 'string') return [...stale, counts];
  const quietMs = worker.queue.signs.quietMs();
  const deaf = counts.filter(({ lane, waiting }) => {
    const running = worker.queue.signs.tally().get(lane)?.running ?? 0;
    return lanes.includes(lane) && waiting > 0 && running < worker.places[lane] && quietMs > DEAF_MS;
  });
  return [
    ...stale,
    ...deaf.map(({ lane, waiting }) => `${waiting} jobs of ${lane} wait, and none was taken for a minute`),
  ];
}

async function renderMetrics(counts: LaneCounts, oldest: OldestJobs, options: HealthOptions): Promise<string> {
  const measured = measuredFamilies(options.worker.telemetry.measured());
  const ages = createGauge(
    'tandem_queue_oldest_job_seconds',
    'How long the oldest waiting job of a lane has waited; absent when none does.',
    (typeof oldest === 'string' ? [] : oldest).map(({ lane, waitsMs }) => ({
      value: waitsMs / 1000,
      labels: { lane },
    })),
  );
  return prometheusText([...queueFamilies(counts, options), ages, ...measured, ...(await options.project())]);
}

function queueFamilies(counts: LaneCounts, { worker }: HealthOptions): MetricFamily[] {
  const { signs } = worker.queue;
  const lanes = [...signs.tally()];
  const jobs = typeof counts === 'string' ? [] : counts;
  return [
    createGauge(
      'tandem_queue_jobs',
      'Jobs in the queue, over all workers.',
      jobs.flatMap(({ lane, ...states }) =>
        Object.entries(states).map(([state, value]) => ({ value, labels: { lane, state } })),
      ),
    ),
    createGauge('tandem_queue_up', 'Whether the queue answers.', [{ value: typeof counts === 'string' ? 0 : 1 }]),
    createCounter(
      'tandem_worker_steps_total',
      'Steps that this worker took; of the lane samples, trials.',
      lanes.flatMap(([lane, { started, done, failed }]) =>
        Object.entries({ started, done, failed }).map(([how, value]) => ({ value, labels: { lane, how } })),
      ),
    ),
    createGauge(
      'tandem_worker_running',
      'Steps that run here now.',
      lanes.map(([lane, { running }]) => ({ value: running, labels: { lane } })),
    ),
    createGauge('tandem_worker_quiet_seconds', 'Since a job was last taken, kept or ended.', [
      { value: signs.quietMs() / 1000 },
    ]),
    createGauge('tandem_worker_reconciled_seconds', 'Since all runs were last looked at.', [
      { value: worker.sinceReconciledMs() / 1000 },
    ]),
  ];
}
