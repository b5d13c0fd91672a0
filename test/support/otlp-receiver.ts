/** A receiver of OTLP over HTTP on loopback: it parses what comes as a collector does, and keeps spans. */
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

export type ReceivedSpan = Omit<z.infer<typeof Span>, 'attributes'> & { facts: Record<string, unknown> };

export type OtlpReceiver = {
  url: string;
  spans: ReceivedSpan[];
  resources: Record<string, unknown>[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Answers of the next requests; 200 when there are none left. */
  answers: number[];
  close: () => Promise<void>;
};

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Omit<OtlpReceiver, 'url' | 'close'> = {
    spans: [],
    resources: [],
    requests: [],
    answers: [],
  };
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => {
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

function factsOf(attributes: z.infer<typeof Attributes>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value as Record<string, unknown>)]));
}

function plain(value: Record<string, unknown>): unknown {
  if ('intValue' in value) return Number(value['intValue']);
  if ('arrayValue' in value)
    return (value['arrayValue'] as { values: Record<string, unknown>[] }).values.map((one) => plain(one));
  return Object.values(value)[0];
}
