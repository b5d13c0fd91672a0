/** Sends what was counted to an OTLP receiver every now and then, and once more at the end; never at a run's expense. */
import { messageOf } from '../../errors.ts';
import type { Gauge, GaugeValue, SpanFacts } from '../../ports/telemetry.ts';
import type { Meters } from './meters.ts';
import { otlpMetrics, type ReadGauge } from './otlp-metrics.ts';
import { originOf, postOtlp, type Receiver } from './post-otlp.ts';

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
    // Cumulative: what one sending lost the next one tells, so the last one tells everything.
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
