/** `/metrics` of a worker as Prometheus reads it, and the dashboard and the alerts that ask for nothing it does not have. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openTelemetry } from '../../../src/adapters/telemetry/open-telemetry.ts';
import { projectFamilies } from '../../../src/app/metrics/project-metrics.ts';
import { serveHealth, type HealthOptions } from '../../../src/app/worker/health.ts';
import { observeServe } from '../../../src/cli/serve/observe-serve.ts';
import { openRunIndex } from '../../../src/run-folder/run-index.ts';
import { announceWorker } from '../../../src/worker/presence.ts';
import { openDesk, type Desk } from '../../web/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(async () => {
  await desk.remove();
});

const counts = { lane: 'init', waiting: 2, active: 1, delayed: 0, failed: 0, paused: 0 };
const signs = {
  counts: () => Promise.resolve([counts]),
  tally: () => new Map([['init', { started: 3, done: 1, failed: 1, running: 1 }]]),
  quietMs: () => 4000,
  oldest: () => Promise.resolve([{ lane: 'init', waitsMs: 90_000 }]),
};

/** The bytes that a worker serves whose project is the desk's. */
async function served(): Promise<string> {
  const telemetry = openTelemetry({}, () => undefined, { measure: true });
  telemetry.count('tandem.cost', 0.25, { 'gen_ai.agent.name': 'init', 'gen_ai.request.model': 'a"b\n' });
  telemetry.count('tandem.cost', 0.5, { 'gen_ai.agent.name': 'init', 'gen_ai.request.model': 'a"b\n' });
  const run = await desk.waiting('run-1');
  await telemetry.forRun(run, () =>
    telemetry.span('chat m', { 'gen_ai.operation.name': 'chat' }, async () => undefined),
  );
  const { runs } = await openRunIndex(desk.store).look();
  const notices = {
    counts: () => [
      { channel: 'slack', state: 'waiting' as const, value: 2 },
      { channel: 'slack', state: 'refused' as const, value: 1 },
    ],
    failing: () => ['slack'],
  };
  const keeping = { runs: () => runs, notices };
  const worker = {
    queue: { signs },
    telemetry,
    places: { init: 1, execute: 1, samples: 1 },
    sinceReconciledMs: () => 10,
    storeAwaited: () => Promise.resolve(undefined),
  };
  const health = await serveHealth({
    worker: worker as unknown as HealthOptions['worker'],
    ...{ lanes: ['init'], reconcileMs: 1000, listen: { host: '127.0.0.1', port: 0 } },
    project: () => projectFamilies({ shared: desk.read.shared, clock: desk.clock, role: 'worker', keeping }),
  });
  const text = await (await fetch(`http://127.0.0.1:${health.port}/metrics`)).text();
  await health.close();
  return text;
}

test('cost, gates by age, notices that failed, versions, calls and the queue', async () => {
  const one = announceWorker(desk.read.shared, { worker: 'w', program: '0.1.0', lanes: [] }, desk.clock);
  await one.renew();
  desk.clock.pass(5 * 3_600_000);
  const text = await served();
  const lines = text.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'tandem_cost_usd_total{gen_ai_agent_name="init",gen_ai_request_model="a\\"b\\n"} 0.75',
      'tandem_gates_waiting{age="1h"} 1',
      'tandem_runs{status="awaiting_approval"} 1',
      'tandem_workers{version="0.1.0",state="lost"} 1',
      'tandem_notices_waiting{channel="slack"} 2',
      'tandem_notices_total{channel="slack",state="refused"} 1',
      'tandem_notice_channel_failing{channel="slack"} 1',
      'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat"} 1',
      'gen_ai_client_operation_duration_seconds_bucket{gen_ai_operation_name="chat",le="+Inf"} 1',
      'tandem_queue_jobs{lane="init",state="waiting"} 2',
      'tandem_queue_oldest_job_seconds{lane="init"} 90',
      'tandem_worker_steps_total{lane="init",how="done"} 1',
    ]),
  );
  expect(text).toMatch(/^tandem_build_info\{version="[\d.]+",node="[\d.]+",role="worker"\} 1$/m);
  // Each line is one that the format has.
  for (const line of lines.filter((each) => each !== ''))
    expect(line).toMatch(
      /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="(?:[^"\\]|\\.)*"(?:,\w+="(?:[^"\\]|\\.)*")*\})? -?[\d.e+-]+)$/,
    );
});

/** Names and labels of metrics that an expression asks for. */
const namesIn = (expressions: readonly string[]): string[] => [
  ...new Set(
    expressions.flatMap((text) =>
      [...text.replaceAll(/by \([^)]*\)|\{[^}]*\}/g, '').matchAll(/\b(?:tandem|gen_ai)_\w+/g)].map(([name]) => name),
    ),
  ),
];

test('every metric that the dashboard and the alerts name is there, and every one that is there is on the dashboard', async () => {
  const log = { line: () => undefined, follow: () => undefined, progress: () => () => undefined };
  const telemetry = openTelemetry({}, () => undefined, { measure: true });
  const project = { shared: desk.read.shared, clock: desk.clock, keeping: undefined };
  const page = observeServe(log, { ...project, lookedAt: Date.now, telemetry });
  const text = (await served()) + (await page.metrics()).text;
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const there = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
  const dashboard = JSON.parse(await readFile('deploy/grafana/tandem.json', 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const shown = namesIn(dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  const rules = parse(await readFile('deploy/prometheus/alerts.yml', 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const alerts = rules.groups.flatMap((group) => group.rules);
  const asked = namesIn(alerts.map(({ expr }) => expr));
  expect(shown.length).toBeGreaterThan(10);
  expect(asked.length).toBeGreaterThan(8);
  expect([...shown, ...asked].filter((name) => !there.includes(name))).toEqual([]);
  const bases = shown.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  expect([...types.keys()].filter((name) => !bases.includes(name))).toEqual([]);
});
