/** The telemetry port: operations as spans, for people who watch many runs; no code depends on them. */
import type { RunEvent } from '../run/event.ts';
import type { RunFolder } from './run-store.ts';

export type SpanFacts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Adds facts that become known only during the work or at its end. */
export type AddSpanFacts = (facts: SpanFacts) => void;

/** Metrics that are counted or measured while runs go on; those of model calls and samples come from their spans. */
export type Metric =
  | 'gen_ai.client.operation.duration'
  | 'gen_ai.client.token.usage'
  | 'tandem.cost'
  | 'tandem.context.calls'
  | 'tandem.retries'
  | 'tandem.context.changes'
  | 'tandem.samples';

/** Counts and measurements since this process began; `bounds` of a histogram, whose buckets are not cumulative. */
export type Instrument = {
  name: Metric;
  about: string;
  bounds?: readonly number[];
  series: readonly Series[];
};
export type Series = { facts: SpanFacts; sum: number; count: number; buckets: number[] };

/** The trace and span of the caller, with their run and step. */
export type TracePosition = { traceId: string; spanId: string; run: string; step?: string | undefined };

export interface Telemetry {
  /** Contract: settles exactly as `work` does. Spans opened inside `work` are its children. */
  span<T>(name: string, facts: SpanFacts, work: (tell: AddSpanFacts) => Promise<T>): Promise<T>;
  /** Contract: spans opened inside `work` belong to the run's one trace, in any process and on any day. */
  forRun<T>(run: RunFolder, work: () => Promise<T>): Promise<T>;
  /** As `forRun`, for a session or an evaluation. Contract: the same `birth` gives the same trace. */
  forFolder<T>(folder: { name: string; birth: string }, work: () => Promise<T>): Promise<T>;
  /** Reports the answered gates, and the run once it has ended. Contract: never throws; reporting twice is harmless. */
  observe(run: RunFolder, events: readonly RunEvent[]): void;
  count(metric: Metric, value: number, facts: SpanFacts): void;
  /** Lists the instruments that have values; none while telemetry is off. */
  measured(): readonly Instrument[];
  /** Undefined outside of a run. */
  here(): TracePosition | undefined;
  /** Contract: never rejects; waits a bounded time for data that was not sent yet. */
  close(): Promise<void>;
}

/** The port when telemetry is switched off. */
export const NO_TELEMETRY: Telemetry = {
  span: (_name, _facts, work) => work(() => undefined),
  forRun: (_run, work) => work(),
  forFolder: (_folder, work) => work(),
  observe: () => undefined,
  count: () => undefined,
  measured: () => [],
  here: () => undefined,
  close: () => Promise.resolve(),
};
