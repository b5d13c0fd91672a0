/** A receiver of OTLP over HTTP on loopback: it parses what comes as a collector does, and keeps spans and metrics. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value: z.ZodType = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.lazy(() => Value)) }) }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Nano = z.string().regex(/^\d{19}$/);

const Span = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: Nano,
  endTimeUnixNano: Nano,
  attributes: Attributes,
  status: z.strictObject({ code: z.literal(2), message: z.string() }).or(z.strictObject({})),
});

/** The request of the protocol, strictly: an unknown field would be lost in a collector. */
const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span) })),
    }),
  ),
});

const Times = { attributes: Attributes, startTimeUnixNano: Nano, timeUnixNano: Nano };
const NumberPoint = z.strictObject({ ...Times, asDouble: z.number() });
const HistogramPoint = z
  .strictObject({
    ...Times,
    count: z.string().regex(/^\d+$/),
    sum: z.number(),
    min: z.number(),
    max: z.number(),
    bucketCounts: z.array(z.string().regex(/^\d+$/)),
    explicitBounds: z.array(z.number()),
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1)
  .refine(({ bucketCounts, count }) => bucketCounts.reduce((sum, one) => sum + Number(one), 0) === Number(count));
const Head = { name: z.string().min(1), unit: z.string(), description: z.string() };
const Cumulative = { aggregationTemporality: z.literal(2) };
const Metric = z.union([
  z.strictObject({
    ...Head,
    sum: z.strictObject({ ...Cumulative, dataPoints: z.array(NumberPoint), isMonotonic: z.literal(true) }),
  }),
  z.strictObject({ ...Head, histogram: z.strictObject({ ...Cumulative, dataPoints: z.array(HistogramPoint) }) }),
  z.strictObject({
    ...Head,
    gauge: z.strictObject({ dataPoints: z.array(NumberPoint.omit({ startTimeUnixNano: true })) }),
  }),
]);
const MetricsRequest = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeMetrics: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), metrics: z.array(Metric) })),
    }),
  ),
});

/** A point of a metric: `value` is a sum, a gauge, or how many values a histogram holds. */
export type ReceivedPoint = { name: string; unit: string; value: number; sum?: number; facts: Record<string, unknown> };

export type ReceivedSpan = Omit<z.infer<typeof Span>, 'attributes'> & { facts: Record<string, unknown> };

export type OtlpReceiver = {
  url: string;
  spans: ReceivedSpan[];
  resources: Record<string, unknown>[];
  /** What each request about metrics told, newest last. */
  metrics: { resource: Record<string, unknown>; points: ReceivedPoint[] }[];
  /** Those about spans. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Answers of the next requests; 200 when there are none left. */
  answers: number[];
  close: () => Promise<void>;
};

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Omit<OtlpReceiver, 'url' | 'close'> = {
    spans: [],
    resources: [],
    metrics: [],
    requests: [],
    answers: [],
  };
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => {
      if (incoming.url?.endsWith('/v1/metrics') === true) {
        const told = MetricsRequest.safeParse(JSON.parse(body));
        if (told.success) keepMetrics(told.data, received);
        outgoing.writeHead(told.success ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      received.requests.push({ path: incoming.url ?? '', headers: incoming.headers });
      const status = received.answers.shift() ?? 200;
      const parsed = Request.safeParse(JSON.parse(body));
      if (status === 200 && parsed.success) keep(parsed.data, received);
      outgoing.writeHead(status === 200 && !parsed.success ? 400 : status, { 'content-type': 'application/json' });
      outgoing.end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    ...received,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function keep(request: z.infer<typeof Request>, received: Pick<OtlpReceiver, 'spans' | 'resources'>): void {
  for (const { resource, scopeSpans } of request.resourceSpans) {
    received.resources.push(factsOf(resource.attributes));
    for (const { attributes, ...span } of scopeSpans.flatMap(({ spans }) => spans))
      received.spans.push({ ...span, facts: factsOf(attributes) });
  }
}

function keepMetrics(request: z.infer<typeof MetricsRequest>, { metrics }: Pick<OtlpReceiver, 'metrics'>): void {
  for (const { resource, scopeMetrics } of request.resourceMetrics)
    metrics.push({
      resource: factsOf(resource.attributes),
      points: scopeMetrics.flatMap((scope) => scope.metrics.flatMap((metric) => pointsOf(metric))),
    });
}

function pointsOf(metric: z.infer<typeof Metric>): ReceivedPoint[] {
  const { name, unit } = metric;
  if ('histogram' in metric)
    return metric.histogram.dataPoints.map(({ count, sum, attributes }) => ({
      ...{ name, unit, sum },
      value: Number(count),
      facts: factsOf(attributes),
    }));
  const { dataPoints } = 'sum' in metric ? metric.sum : metric.gauge;
  return dataPoints.map(({ asDouble, attributes }) => ({ name, unit, value: asDouble, facts: factsOf(attributes) }));
}

function factsOf(attributes: z.infer<typeof Attributes>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value as Record<string, unknown>)]));
}

function plain(value: Record<string, unknown>): unknown {
  if ('intValue' in value) return Number(value['intValue']);
  if ('arrayValue' in value)
    return (value['arrayValue'] as { values: Record<string, unknown>[] }).values.map((one) => plain(one));
  return Object.values(value)[0];
}
