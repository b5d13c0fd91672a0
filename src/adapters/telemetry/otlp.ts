/** Spans in OTLP's JSON, with ids in hexadecimal and times in nanoseconds, and one request with them to a receiver. */
import type { SpanFacts } from '../../ports/telemetry.ts';
import { describeError } from '../../errors.ts';

export type FinishedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** A client span is a call that leaves this process. */
  kind: 'internal' | 'client';
  startMs: number;
  endMs: number;
  facts: SpanFacts;
  /** The reason for a failure; absent after success. */
  error?: string;
};

const KINDS = { internal: 1, client: 3 } as const;
const FAILED = 2;
/** Collectors cut or refuse longer values. */
const MAX_CHARACTERS = 4096;
const SCOPE = { name: 'tandem-harness' };

export function otlpRequest(spans: readonly FinishedSpan[], resource: SpanFacts): unknown {
  return {
    resourceSpans: [
      { resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope: SCOPE, spans: spans.map(otlpSpan) }] },
    ],
  };
}

function otlpSpan(span: FinishedSpan): unknown {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: toNanoseconds(span.startMs),
    endTimeUnixNano: toNanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: toAttributes(span.facts),
    status: span.error === undefined ? {} : { code: FAILED, message: span.error.slice(0, MAX_CHARACTERS) },
  };
}

/** A double cannot hold nanoseconds of this size, so the last digits are written as text. */
function toNanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1000))}000`;
}

function toAttributes(facts: SpanFacts): unknown[] {
  return Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toTypedValue(value) }],
  );
}

function toTypedValue(value: string | number | boolean | readonly string[]): unknown {
  if (typeof value === 'string') return { stringValue: value.toWellFormed().slice(0, MAX_CHARACTERS) };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(toTypedValue) } };
}

type Receiver = { url: string; headers: Readonly<Record<string, string>>; timeoutMs: number };
type ExportOutcome = { type: 'sent' } | { type: 'later' | 'never'; why: string };

/** Status codes that the protocol calls retryable; any other would be refused again. */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Contract: never rejects. */
export async function postOtlp({ url, headers, timeoutMs }: Receiver, request: unknown): Promise<ExportOutcome> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (response.ok) return { type: 'sent' };
    return { type: RETRYABLE.has(response.status) ? 'later' : 'never', why: `it answered ${response.status}` };
  } catch (error) {
    return { type: 'later', why: describeError(error) };
  }
}
