/** The telemetry port: operations as spans, for people who watch many runs; no code decides by them. */
import type { RunEvent } from '../run/event.ts';
import type { RunFolder } from './run-store.ts';

export type SpanFacts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Facts that are known only during the work or when it is done. */
export type AddSpanFacts = (facts: SpanFacts) => void;

/** Counted or measured while runs go on; model calls and samples are taken from their spans. */
export type Metric =
  | 'gen_ai.client.operation.duration'
  | 'gen_ai.client.token.usage'
  | 'tandem.cost'
  | 'tandem.context.calls'
  | 'tandem.retries'
  | 'tandem.context.changes'
  | 'tandem.samples';

export type GaugeValue = { value: number; facts: SpanFacts };

/** A value that is read whenever metrics are sent, such as the depth of a queue. */
export type Gauge = { name: string; unit: string; about: string; read: () => Promise<readonly GaugeValue[]> };

/** What was counted and measured since this process began; `bounds` of a histogram, whose buckets are not cumulative. */
export type Instrument = {
  name: Metric;
  unit: string;
  about: string;
  bounds?: readonly number[];
  series: readonly Series[];
};
export type Series = { facts: SpanFacts; sum: number; count: number; buckets: number[]; min: number; max: number };

/** The trace and the span that the caller is in, of which run and step. */
export type TracePlace = { traceId: string; spanId: string; run: string; step?: string | undefined };

export interface Telemetry {
  /** Contract: settles exactly as `work` does. Spans opened inside `work` are its children. */
  span<T>(name: string, facts: SpanFacts, work: (tell: AddSpanFacts) => Promise<T>): Promise<T>;
  /** Contract: spans opened inside `work` belong to the one trace of the run, whichever process and day. */
  forRun<T>(run: RunFolder, work: () => Promise<T>): Promise<T>;
  /** As `forRun`, for a session or an evaluation. Contract: the same `birth` gives the same trace. */
  forFolder<T>(folder: { name: string; birth: string }, work: () => Promise<T>): Promise<T>;
  /** Reports the answered gates, and the run once it has ended. Contract: never throws; reporting twice is harmless. */
  observe(run: RunFolder, events: readonly RunEvent[]): void;
  count(metric: Metric, value: number, facts: SpanFacts): void;
  gauge(gauge: Gauge): void;
  /** Those that have anything to tell; none while telemetry is off. */
  measured(): readonly Instrument[];
  /** Undefined outside of a run. */
  here(): TracePlace | undefined;
  /** Contract: never rejects; waits a bounded time for what was not sent yet. */
  close(): Promise<void>;
}

/** The port when telemetry is switched off. */
export const NO_TELEMETRY: Telemetry = {
  span: (_name, _facts, work) => work(() => undefined),
  forRun: (_run, work) => work(),
  forFolder: (_folder, work) => work(),
  observe: () => undefined,
  count: () => undefined,
  gauge: () => undefined,
  measured: () => [],
  here: () => undefined,
  close: () => Promise.resolve(),
};
