/** Sends what was counted to an OTLP receiver every now and then, and once more at the end; never at a run's expense. */
import { messageOf } from '../../errors.ts';
import type { Gauge, GaugeValue, SpanFacts, Instrument, Series } from '../../ports/telemetry.ts';
import type { Meters } from './meters.ts';
import { originOf, postOtlp, type Receiver } from './post-otlp.ts';
import { attributes, nanoseconds, SCOPE } from './otlp.ts';

export type MetricsSettings = Receiver & { everyMs: number };

export type MetricsExporter = {
  /** Called whenever metrics are sent; one that fails is left out that time. */
  gauge: (gauge: Gauge) => void;
  close: () => Promise<void>;
};

/** A gauge that hangs, such as a queue that is away, holds nothing else up. */
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
    complain(`metrics cannot be sent to ${originOf(settings.url)}: ${outcome.why}; the run goes on without them`);
  };
  const flush = (): Promise<void> => (sending = sending.then(send, send));

  const timer = setInterval(() => void flush(), settings.everyMs);
  timer.unref();
  return {
    gauge: (gauge) => void gauges.push(gauge),
    // Cumulative: each export includes what an earlier one lost, so the last one is complete.
    close: () => {
      clearInterval(timer);
      return flush().catch((error: unknown) => complain(messageOf(error)));
    },
  };
}

async function readAll(gauges: readonly Gauge[]): Promise<ReadGauge[]> {
  const read = await Promise.all(
    gauges.map(async ({ name, unit, about, read: values }) => ({ name, unit, about, values: await inTime(values()) })),
  );
  return read.filter(({ values }) => values.length > 0);
}

async function inTime(values: Promise<readonly GaugeValue[]>): Promise<readonly GaugeValue[]> {
  const late = Promise.withResolvers<readonly GaugeValue[]>();
  const timer = setTimeout(late.resolve, GAUGE_MS, []);
  try {
    return await Promise.race([values.catch(() => []), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Metrics in the JSON encoding of OTLP: counters and histograms cumulative since the process began, gauges as they are. */
type ReadGauge = { name: string; unit: string; about: string; values: readonly GaugeValue[] };

const CUMULATIVE = 2;

function otlpMetrics(
  read: { instruments: readonly Instrument[]; gauges: readonly ReadGauge[]; fromMs: number; nowMs: number },
  resource: SpanFacts,
): unknown {
  const times = { startTimeUnixNano: nanoseconds(read.fromMs), timeUnixNano: nanoseconds(read.nowMs) };
  const metrics = [
    ...read.instruments.map((instrument) => instrumentOf(instrument, times)),
    ...read.gauges.map(({ name, unit, about, values }) => ({
      ...{ name, unit, description: about },
      gauge: {
        dataPoints: values.map(({ value, facts }) => ({
          attributes: attributes(facts),
          timeUnixNano: times.timeUnixNano,
          asDouble: value,
        })),
      },
    })),
  ];
  return {
    resourceMetrics: [{ resource: { attributes: attributes(resource) }, scopeMetrics: [{ scope: SCOPE, metrics }] }],
  };
}

type Times = { startTimeUnixNano: string; timeUnixNano: string };

function instrumentOf({ name, unit, about, bounds, series }: Instrument, times: Times): unknown {
  const head = { name, unit, description: about };
  if (bounds === undefined) {
    const dataPoints = series.map(({ facts, sum }) => ({ attributes: attributes(facts), ...times, asDouble: sum }));
    return { ...head, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  }
  const dataPoints = series.map((one) => histogramPoint(one, bounds, times));
  return { ...head, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
}

function histogramPoint({ facts, sum, count, buckets, min, max }: Series, bounds: readonly number[], times: Times) {
  return {
    attributes: attributes(facts),
    ...times,
    count: String(count),
    ...{ sum, min, max },
    bucketCounts: buckets.map(String),
    explicitBounds: bounds,
  };
}
