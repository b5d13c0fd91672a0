/** Spans that outlive any process, built from the journal: each answered gate, and the run itself. */
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import { createSnapshot } from '../../run/snapshot.ts';
import type { FinishedSpan } from './otlp.ts';
import { computeSpanId, type RunTrace } from './run-trace.ts';

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
