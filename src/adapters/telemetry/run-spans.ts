/** The trace of a run, to which every process adds, and the spans that outlive any process: answered gates, and the run itself. */
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import { createSnapshot } from '../../run/snapshot.ts';
import type { FinishedSpan } from './otlp.ts';
import { z } from 'zod';
import { parseFile } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';

export function storySpans(run: RunFolder, events: readonly RunEvent[], trace: RunTrace): FinishedSpan[] {
  return [...gateSpans(run, events, trace), ...runSpan(run, events, trace)];
}

function gateSpans(run: RunFolder, events: readonly RunEvent[], trace: RunTrace): FinishedSpan[] {
  const birth = events[0]?.hash ?? run.id;
  return events.flatMap(({ body, actor, ts }) => {
    if (body.type !== 'gate.decided' && body.type !== 'gate.expired') return [];
    const opened = events.findLast(
      (event) => event.body.type === 'design.done' && `HITL-1.r${event.body.round}` === body.gate && event.ts <= ts,
    );
    const outcome = body.type === 'gate.expired' ? { outcome: 'expired' } : { outcome: body.decision, via: body.via };
    return [
      {
        traceId: trace.traceId,
        spanId: computeSpanId(birth, `${body.gate} ${ts}`),
        parentSpanId: trace.spanId,
        name: `gate ${body.gate}`,
        kind: 'internal' as const,
        startMs: Date.parse(opened?.ts ?? ts),
        endMs: Date.parse(ts),
        facts: {
          'tandem.run.id': run.id,
          'tandem.gate.id': body.gate,
          'tandem.gate.outcome': outcome.outcome,
          'tandem.gate.actor': actor,
          ...(body.type === 'gate.decided' ? { 'tandem.gate.via': body.via, 'tandem.design.digest': body.digest } : {}),
        },
      },
    ];
  });
}

/** Present once the run has ended; until then its spans are connected by the trace alone. */
function runSpan(run: RunFolder, events: readonly RunEvent[], trace: RunTrace): FinishedSpan[] {
  const { state } = createSnapshot(events);
  const [first, last] = [events[0], events.at(-1)];
  if (!('verdict' in state) || first === undefined || last === undefined) return [];
  const newest = state.iterations.at(-1);
  return [
    {
      ...trace,
      name: `run ${run.scenario}`,
      kind: 'internal',
      startMs: Date.parse(first.ts),
      endMs: Date.parse(last.ts),
      facts: {
        'tandem.run.id': run.id,
        'tandem.scenario': run.scenario,
        'tandem.run.status': state.status,
        'tandem.run.rounds': state.round,
        'tandem.run.iterations': state.iterations.length,
        'tandem.run.success_rate': newest?.successRate,
        'tandem.run.target': state.origin.limits.target,
        'tandem.simulated': state.origin.simulated,
      },
      ...(state.status === 'succeeded' ? {} : { error: state.verdict.why }),
    },
  ];
}

const FILE = 'trace.json';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

const TraceFile = z.strictObject({
  version: z.literal(1),
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  /** The id of the span of the whole run. */
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  /** The id of the span of the process that started the run. */
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
});

type RunTrace = { traceId: string; spanId: string; parentSpanId: string | undefined };

/** Derives the ids from the run's first event, so that two workers writing the file at once write the same. */
export async function runTrace(run: RunFolder, traceparent: string | undefined): Promise<RunTrace> {
  const text = await run.read(FILE);
  if (text !== undefined) {
    const { traceId, spanId, parentSpanId } = parseFile(TraceFile, text, `${run.dir}/${FILE}`);
    return { traceId, spanId, parentSpanId };
  }
  const [first] = await run.journal.read();
  const birth = first?.hash ?? run.id;
  const trace = traceFrom(birth, traceparent);
  await run.write(FILE, `${JSON.stringify({ version: 1, ...trace }, null, 2)}\n`);
  return trace;
}

/** The trace that follows from the birth of a run, a session or an evaluation, within the trace of the calling process if it has one. */
export function traceFrom(birth: string, traceparent: string | undefined): RunTrace {
  const [, traceId = sha256(`trace ${birth}`).slice(0, 32), parentSpanId] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return { traceId, spanId: computeSpanId(birth, 'run'), parentSpanId };
}

/** A span reported by two processes gets the same id from both. */
function computeSpanId(birth: string, what: string): string {
  return sha256(`span ${birth} ${what}`).slice(0, 16);
}
