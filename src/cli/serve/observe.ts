/** What `tandem serve` reports about itself: a log line and a count for each request, health, and metrics. */
import type { Log } from '../../app/log/log.ts';
import { measuredFamilies } from '../../app/metrics/measured.ts';
import { projectFamilies, type ProjectMetrics } from '../../app/metrics/project-metrics.ts';
import { counter, prometheusText, PROMETHEUS_TEXT } from '../../app/metrics/prometheus.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Observe } from '../../web/web-deps.ts';

/** A look takes seconds; a process that has not looked for so long has stopped doing so. */
const STALE_MS = 120_000;

type Observed = Omit<ProjectMetrics, 'role'> & { lookedAt: () => number; telemetry: Pick<Telemetry, 'measured'> };

export function observeServe(log: Log, project: Observed): Observe {
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
        counter('tandem_http_requests_total', 'Requests that the review page answered.', requests),
        ...measuredFamilies(project.telemetry.measured()),
        ...(await projectFamilies({ ...project, role: 'serve' })),
      ];
      return { text: prometheusText(families), type: PROMETHEUS_TEXT };
    },
  };
}

/** What the gate scheduler says: faults are warnings, the rest is what happened. */
export function logLooks(log: Log): (line: string) => void {
  return (line) => log.line(/^(?:notices|gates): /.test(line) ? 'warn' : 'info', line);
}
