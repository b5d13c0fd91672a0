/** Sends metrics to an OTLP receiver at intervals and once at the end, without ever delaying a run. */
import { describeError } from '../../errors.ts';
import type { Gauge, GaugeValue, SpanFacts, Instrument, Series } from '../../ports/telemetry.ts';
import type { Meters } from './meters.ts';
import { formatOrigin, postOtlp, type Receiver } from './post-otlp.ts';
import { toAttributes, toNanoseconds, SCOPE } from './otlp.ts';

export type MetricsSettings = Receiver & { everyMs: number };

export type MetricsExporter = {
  /** Registers a gauge, which is read at every export; one that fails is left out that time. */
  gauge: (gauge: Gauge) => void;
  close: () => Promise<void>;
};

/** Limits how long a gauge may take, in milliseconds, so that an unreachable queue delays nothing else. */
const GAUGE_MS = 3_000;

export function createMetricsExporter(
  settings: MetricsSettings,
  { meters, resource }: { meters: Meters; resource: SpanFacts },
  complain: (text: string) => void,
): MetricsExporter {
  const gauges: Gauge[] = [];
  const fromMs = Date.now();
  let complained = false;
  let sending: Promise<void> = Promise.resolve();

  const send = async (): Promise<void> => {
    const read = { instruments: meters.read(), gauges: await readAll(gauges), fromMs, nowMs: Date.now() };
    if (read.instruments.length === 0 && read.gauges.length === 0) return;
    const outcome = await postOtlp(settings, otlpMetrics(read, resource));
    if (outcome.type === 'sent' || complained) return;
    complained = true;
    complain(`metrics cannot be sent to ${formatOrigin(settings.url)}: ${outcome.why}; the run goes on without them`);
  };
  const flush = (): Promise<void> => (sending = sending.then(send, send));

  const timer = setInterval(() => void flush(), settings.everyMs);
  timer.unref();
  return {
    gauge: (gauge) => void gauges.push(gauge),
    // Metrics are cumulative: each export includes what an earlier one lost, so the last is complete.
    close: () => {
      clearInterval(timer);
      return flush().catch((error: unknown) => complain(describeError(error)));
    },
  };
}

async function readAll(gauges: readonly Gauge[]): Promise<ReadGauge[]> {
  const read = await Promise.all(
    gauges.map(async ({ name, unit, about, read: values }) => ({
      name,
      unit,
      about,
      values: await withinTime(values()),
    })),
  );
  return read.filter(({ values }) => values.length > 0);
}

async function withinTime(values: Promise<readonly GaugeValue[]>): Promise<readonly GaugeValue[]> {
  const late = Promise.withResolvers<readonly GaugeValue[]>();
  const timer = setTimeout(late.resolve, GAUGE_MS, []);
  try {
    return await Promise.race([values.catch(() => []), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Metrics in OTLP's JSON encoding: counters and histograms cumulative since the process began, gauges as they are. */
type ReadGauge = { name: string; unit: string; about: string; values: readonly GaugeValue[] };

const CUMULATIVE = 2;

function otlpMetrics(
  read: { instruments: readonly Instrument[]; gauges: readonly ReadGauge[]; fromMs: number; nowMs: number },
  resource: SpanFacts,
): unknown {
  const times = { startTimeUnixNano: toNanoseconds(read.fromMs), timeUnixNano: toNanoseconds(read.nowMs) };
  const metrics = [
    ...read.instruments.map((instrument) => toOtlpInstrument(instrument, times)),
    ...read.gauges.map(({ name, unit, about, values }) => ({
      ...{ name, unit, description: about },
      gauge: {
        dataPoints: values.map(({ value, facts }) => ({
          attributes: toAttributes(facts),
          timeUnixNano: times.timeUnixNano,
          asDouble: value,
        })),
      },
    })),
  ];
  return {
    resourceMetrics: [{ resource: { attributes: toAttributes(resource) }, scopeMetrics: [{ scope: SCOPE, metrics }] }],
  };
}

type Times = { startTimeUnixNano: string; timeUnixNano: string };

function toOtlpInstrument({ name, unit, about, bounds, series }: Instrument, times: Times): unknown {
  const head = { name, unit, description: about };
  if (bounds === undefined) {
    const dataPoints = series.map(({ facts, sum }) => ({ attributes: toAttributes(facts), ...times, asDouble: sum }));
    return { ...head, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  }
  const dataPoints = series.map((one) => histogramPoint(one, bounds, times));
  return { ...head, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
}

function histogramPoint({ facts, sum, count, buckets, min, max }: Series, bounds: readonly number[], times: Times) {
  return {
    attributes: toAttributes(facts),
    ...times,
    count: String(count),
    ...{ sum, min, max },
    bucketCounts: buckets.map(String),
    explicitBounds: bounds,
  };
}
