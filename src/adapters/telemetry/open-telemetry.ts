/** The telemetry port over OTLP: spans nest by the asynchronous context, and a run's spans share one trace. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isHarnessError, describeError } from '../../errors.ts';
import { NO_TELEMETRY, type SpanFacts, type Telemetry, type TracePosition } from '../../ports/telemetry.ts';
import { createMeters, type Meters } from './meters.ts';
import { runTrace, traceFrom, storySpans } from './run-spans.ts';
import { telemetrySettings, type TelemetrySettings } from './settings.ts';
import { otlpRequest, type FinishedSpan, postOtlp } from './otlp.ts';

/** The parent of new spans, and the attributes that all spans of the run share. */
type CurrentSpan = TracePosition & { common: SpanFacts };

export type TelemetryOptions = {
  /** Also measures while nothing is exported, for metrics that a process serves itself. */
  measure?: boolean;
};

/** `complain` gets at most a few lines for people. Contract: silent unless the environment enables it, or it measures. */
export function openTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  complain: (text: string) => void,
  { measure = false }: TelemetryOptions = {},
): Telemetry {
  const settings = telemetrySettings(env);
  const meters = createMeters();
  if (settings === undefined) {
    const traceparent = env['TRACEPARENT']?.trim();
    return measure ? createTelemetry({ traceparent }, { spans: NO_SPANS, meters }, complain) : NO_TELEMETRY;
  }
  return createTelemetry(settings, { spans: createExporter(settings, complain), meters }, complain);
}

const NO_SPANS: Exporter = { add: () => undefined, close: () => Promise.resolve() };

// oxlint-disable-next-line max-lines-per-function -- the port's methods over one context and one set of pending work
function createTelemetry(
  { traceparent }: Pick<TelemetrySettings, 'traceparent'>,
  { spans: exporter, meters }: { spans: Exporter; meters: Meters },
  complain: (text: string) => void,
): Telemetry {
  const context = new AsyncLocalStorage<CurrentSpan>();
  const reported = new Set<string>();
  const pending = new Set<Promise<void>>();

  return {
    span: async (name, facts, work) => {
      const parent = context.getStore();
      // A span outside of a run could not be found again.
      if (parent === undefined) return work(() => undefined);
      const step = typeof facts['tandem.step'] === 'string' ? facts['tandem.step'] : parent.step;
      const here = { ...parent, spanId: randomBytes(8).toString('hex'), step };
      const startMs = performance.timeOrigin + performance.now();
      let more: SpanFacts = {};
      const finish = (failure: { error?: string; facts?: SpanFacts }): void => {
        const endMs = performance.timeOrigin + performance.now();
        const allFacts = { ...facts, ...more, ...failure.facts };
        spanMetrics(allFacts, endMs - startMs, meters);
        exporter.add({
          traceId: here.traceId,
          spanId: here.spanId,
          parentSpanId: parent.spanId,
          name,
          kind: facts['gen_ai.operation.name'] === 'chat' ? 'client' : 'internal',
          startMs,
          endMs,
          facts: { ...parent.common, ...allFacts },
          ...(failure.error === undefined ? {} : { error: failure.error }),
        });
      };
      try {
        const result = await context.run(here, () => work((further) => (more = { ...more, ...further })));
        finish(typeof more['error.type'] === 'string' ? { error: more['error.type'] } : {});
        return result;
      } catch (error) {
        finish({
          error: describeError(error),
          facts: { 'error.type': isHarnessError(error) ? error.code : 'aborted' },
        });
        throw error;
      }
    },

    forRun: async (run, work) => {
      const { traceId, spanId } = await runTrace(run, traceparent);
      const common = { 'tandem.run.id': run.id, 'gen_ai.conversation.id': run.id };
      return context.run({ traceId, spanId, run: run.id, common }, work);
    },

    forFolder: ({ name, birth }, work) => {
      const { traceId, spanId } = traceFrom(birth, traceparent);
      return context.run({ traceId, spanId, run: name, common: { 'gen_ai.conversation.id': name } }, work);
    },

    observe: (run, events) => {
      const reporting = runTrace(run, traceparent)
        .then((trace) => {
          for (const span of storySpans(run, events, trace)) {
            if (!reported.has(span.spanId)) exporter.add(span);
            reported.add(span.spanId);
          }
        })
        .catch((error: unknown) => complain(`the spans of run ${run.id} cannot be made: ${describeError(error)}`))
        .finally(() => pending.delete(reporting));
      pending.add(reporting);
    },

    count: (metric, value, facts) => meters.add(metric, value, facts),
    measured: () => meters.read(),
    here: () => {
      const at = context.getStore();
      if (at === undefined) return undefined;
      const { common: _common, ...place } = at;
      return place;
    },

    close: async () => {
      await Promise.all(pending);
      await exporter.close();
    },
  };
}

/** Attributes that the GenAI conventions require on both of their metrics. */
const SHARED = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.response.model'];

/** Adds a finished span to the metrics: duration and tokens of model calls, outcomes of samples. */
export function spanMetrics(facts: SpanFacts, durationMs: number, meters: Meters): void {
  if (facts['gen_ai.operation.name'] === 'chat') chatMetrics(facts, durationMs, meters);
  const outcome = facts['tandem.sample.outcome'];
  if (typeof outcome === 'string') meters.add('tandem.samples', 1, { 'tandem.sample.outcome': outcome });
}

function chatMetrics(facts: SpanFacts, durationMs: number, meters: Meters): void {
  const shared = Object.fromEntries(SHARED.flatMap((key) => (facts[key] === undefined ? [] : [[key, facts[key]]])));
  const error = facts['error.type'];
  const failed = error === undefined ? {} : { 'error.type': error };
  meters.add('gen_ai.client.operation.duration', durationMs / 1000, { ...shared, ...failed });
  for (const type of ['input', 'output']) {
    const tokens = facts[`gen_ai.usage.${type}_tokens`];
    if (typeof tokens === 'number')
      meters.add('gen_ai.client.token.usage', tokens, { ...shared, 'gen_ai.token.type': type });
  }
}

/** Exports finished spans to an OTLP receiver in the background: in batches, bounded, and without delaying a run. */
type Exporter = {
  add: (span: FinishedSpan) => void;
  /** Sends the remaining spans; resolves in bounded time, and never rejects. */
  close: () => Promise<void>;
};

const EVERY_MS = 2000;
const BATCH = 256;
/** The newest spans beyond this number are dropped, so that an unreachable receiver cannot fill the memory. */
const MOST_WAITING = 8192;
/** Limits the tries at the end of a command, so that it does not wait for an unreachable receiver. */
const LAST_TRIES = 3;
const LAST_PAUSE_MS = 200;

function createExporter(settings: TelemetrySettings, complain: (text: string) => void): Exporter {
  const waiting: FinishedSpan[] = [];
  let dropped = 0;
  let complained = false;
  let sending: Promise<void> = Promise.resolve();

  const failed = (why: string): void => {
    // The path or query of the address may hold a token.
    if (!complained)
      complain(`spans cannot be sent to ${new URL(settings.url).origin}: ${why}; the run goes on without them`);
    complained = true;
  };

  /** True when the next batch may be tried. */
  const sendBatch = async (): Promise<boolean> => {
    const batch = waiting.slice(0, BATCH);
    const outcome = await postOtlp(settings, otlpRequest(batch, settings.resource));
    if (outcome.type !== 'later') waiting.splice(0, batch.length);
    if (outcome.type !== 'sent') failed(outcome.why);
    return outcome.type !== 'later';
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) if (!(await sendBatch())) return;
  };
  const flush = (): Promise<void> => (sending = sending.then(sendAll));

  const lastTries = async (): Promise<void> => {
    for (let tries = 0; tries < LAST_TRIES; tries += 1) {
      if (tries > 0) await sleep(LAST_PAUSE_MS);
      await flush();
      if (waiting.length === 0) return;
    }
  };

  const timer = setInterval(() => void flush(), EVERY_MS).unref();
  return {
    add: (span) => {
      if (waiting.length < MOST_WAITING) waiting.push(span);
      else dropped += 1;
    },
    close: async () => {
      clearInterval(timer);
      const patience = new AbortController();
      await Promise.race([lastTries(), sleep(settings.timeoutMs, undefined, { signal: patience.signal })]);
      patience.abort();
      const lost = dropped + waiting.length;
      if (lost > 0) complain(`${lost} spans were not sent`);
    },
  };
}
