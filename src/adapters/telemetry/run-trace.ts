/** The trace of a run: `trace.json` in its folder, so that every process adds to the same trace. */
import { z } from 'zod';
import type { RunFolder } from '../../ports/run-store.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';

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

export type RunTrace = { traceId: string; spanId: string; parentSpanId: string | undefined };

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
export function computeSpanId(birth: string, what: string): string {
  return sha256(`span ${birth} ${what}`).slice(0, 16);
}
