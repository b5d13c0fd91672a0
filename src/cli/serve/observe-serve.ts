/** Observes `tandem serve` itself: a log line and a count per request, its health, and its metrics. */
import type { Log } from '../../app/log/log.ts';
import {
  measuredFamilies,
  projectFamilies,
  type ProjectMetrics,
  createCounter,
  prometheusText,
  PROMETHEUS_TEXT,
} from '../../app/metrics/project-metrics.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Observe } from '../../web/web-deps.ts';

/** One look takes seconds, so after this time without one the gate scheduler has stopped. */
const STALE_MS = 120_000;

type ObservedServe = Omit<ProjectMetrics, 'role'> & { lookedAt: () => number; telemetry: Pick<Telemetry, 'measured'> };

export function observeServe(log: Log, project: ObservedServe): Observe {
  const counts = new Map<string, number>();
  return {
    request: ({ id, method, path, status, ms, who, address, run, traceId }) => {
      const key = JSON.stringify({ method, status });
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const level = status >= 500 ? 'error' : path.startsWith('/assets/') || path === '/healthz' ? 'debug' : 'info';
      log.line(level, `${method} ${path} ${status} ${ms} ms`, {
        ...{ run, request_id: id, trace_id: traceId, who, address, status, ms },
      });
    },
    faults: () => {
      const sinceMs = Date.now() - project.lookedAt();
      return sinceMs > STALE_MS ? [`gates were last looked at ${Math.round(sinceMs / 1000)} s ago`] : [];
    },
    metrics: async () => {
      const requests = [...counts].map(([key, value]) => ({
        value,
        labels: JSON.parse(key) as Record<string, string>,
      }));
      const families = [
        createCounter('tandem_http_requests_total', 'Requests that the review page answered.', requests),
        ...measuredFamilies(project.telemetry.measured()),
        ...(await projectFamilies({ ...project, role: 'serve' })),
      ];
      return { text: prometheusText(families), type: PROMETHEUS_TEXT };
    },
  };
}

/** Logs the lines of the gate scheduler: its faults as warnings, everything else as information. */
export function createLookLog(log: Log): (line: string) => void {
  return (line) => log.line(/^(?:notices|gates): /.test(line) ? 'warn' : 'info', line);
}
