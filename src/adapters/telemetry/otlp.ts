/** Spans in the JSON encoding of OTLP: ids in hexadecimal, times in nanoseconds, every attribute with its type. */
import type { SpanFacts } from '../../ports/telemetry.ts';

export type FinishedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** A call that leaves this process is a client span. */
  kind: 'internal' | 'client';
  startMs: number;
  endMs: number;
  facts: SpanFacts;
  /** Why it failed; absent when it did not. */
  error?: string;
};

const KINDS = { internal: 1, client: 3 } as const;
const FAILED = 2;
/** Collectors cut or refuse longer values. */
const MOST_CHARACTERS = 4096;
export const SCOPE = { name: 'tandem-harness' };

export function otlpRequest(spans: readonly FinishedSpan[], resource: SpanFacts): unknown {
  return {
    resourceSpans: [
      { resource: { attributes: attributes(resource) }, scopeSpans: [{ scope: SCOPE, spans: spans.map(otlpSpan) }] },
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
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: attributes(span.facts),
    status: span.error === undefined ? {} : { code: FAILED, message: span.error.slice(0, MOST_CHARACTERS) },
  };
}

/** A number of this size has no room for nanoseconds, so the last digits are written and not computed. */
export function nanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1000))}000`;
}

export function attributes(facts: SpanFacts): unknown[] {
  return Object.entries(facts).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: typed(value) }]));
}

function typed(value: string | number | boolean | readonly string[]): unknown {
  if (typeof value === 'string') return { stringValue: value.toWellFormed().slice(0, MOST_CHARACTERS) };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(typed) } };
}
