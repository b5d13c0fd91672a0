/** The telemetry port over OTLP: spans nest by the asynchronous context, and a run's spans share one trace. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { isHarnessError, messageOf } from '../../errors.ts';
import { SILENT, type SpanFacts, type Telemetry } from '../../ports/telemetry.ts';
import { createExporter, type Exporter } from './exporter.ts';
import { runTrace } from './run-trace.ts';
import { telemetrySettings, type TelemetrySettings } from './settings.ts';
import { storySpans } from './story-spans.ts';

/** The span that new ones hang under, and what all spans of the run say. */
type Here = { traceId: string; spanId: string; common: SpanFacts };

/** `complain` gets at most a few lines, for people. Contract: silent unless the environment switches it on. */
export function openTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  complain: (text: string) => void,
): Telemetry {
  const settings = telemetrySettings(env);
  return settings === undefined ? SILENT : createTelemetry(settings, createExporter(settings, complain), complain);
}

function createTelemetry(
  { traceparent }: TelemetrySettings,
  exporter: Exporter,
  complain: (text: string) => void,
): Telemetry {
  const context = new AsyncLocalStorage<Here>();
  const told = new Set<string>();
  const pending = new Set<Promise<void>>();

  return {
    span: async (name, facts, work) => {
      const parent = context.getStore();
      // Outside of a run nobody could find it again.
      if (parent === undefined) return work(() => undefined);
      const here = { ...parent, spanId: randomBytes(8).toString('hex') };
      const startMs = performance.timeOrigin + performance.now();
      let more: SpanFacts = {};
      const finish = (failure: { error?: string; facts?: SpanFacts }): void =>
        exporter.add({
          traceId: here.traceId,
          spanId: here.spanId,
          parentSpanId: parent.spanId,
          name,
          kind: facts['gen_ai.operation.name'] === 'chat' ? 'client' : 'internal',
          startMs,
          endMs: performance.timeOrigin + performance.now(),
          facts: { ...parent.common, ...facts, ...more, ...failure.facts },
          ...(failure.error === undefined ? {} : { error: failure.error }),
        });
      try {
        const result = await context.run(here, () => work((further) => (more = { ...more, ...further })));
        finish(typeof more['error.type'] === 'string' ? { error: more['error.type'] } : {});
        return result;
      } catch (error) {
        finish({ error: messageOf(error), facts: { 'error.type': isHarnessError(error) ? error.code : 'aborted' } });
        throw error;
      }
    },

    forRun: async (run, work) => {
      const { traceId, spanId } = await runTrace(run, traceparent);
      const common = { 'tandem.run.id': run.id, 'gen_ai.conversation.id': run.id };
      return context.run({ traceId, spanId, common }, work);
    },

    observe: (run, events) => {
      const telling = runTrace(run, traceparent)
        .then((trace) => {
          for (const span of storySpans(run, events, trace)) {
            if (!told.has(span.spanId)) exporter.add(span);
            told.add(span.spanId);
          }
        })
        .catch((error: unknown) => complain(`the spans of run ${run.id} cannot be made: ${messageOf(error)}`))
        .finally(() => pending.delete(telling));
      pending.add(telling);
    },

    close: async () => {
      await Promise.all(pending);
      await exporter.close();
    },
  };
}
