/** The projection of a growing transcript with the size of every message in it, and the calls that were billed for it. */
import { inputTokens } from '../../transcript/message.ts';
import { estimateMessages, estimateText } from '../../transcript/tokens.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SessionPace } from '../plan/auto-trigger.ts';
import { addLoad, measureLoad, NO_LOAD, type Load } from '../plan/request-load.ts';
import { createProjection, findViewEnd, feedProjection, type Projection } from './projection.ts';

/** Tokens billed for a call, and the estimate for its messages. */
export type TokenSample = { estimated: number; measured: number };

export type ContextMeasurement = {
  /** Load of the next request. */
  load: Load;
  /** Estimated tokens of the layers of the system prompt. */
  layers: number;
  /** The calls whose real input is known, the newest last. */
  samples: readonly TokenSample[];
  /** Set when the newest answer was measured on this projection: its tokens, and the estimate of later messages. */
  sinceUsage?: { billed: number; appended: number };
  pace: SessionPace;
};

export type UsageTracker = {
  readonly projection: Projection;
  feed(entry: Entry): void;
  measure(): ContextMeasurement;
};

export function createUsageTracker(): UsageTracker {
  const projection = createProjection();
  let generation = 0;
  let sizes: Load[] = [];
  let sum: Load = NO_LOAD;
  let samples: TokenSample[] = [];
  const pace = createPaceTracker();
  let usage: { epoch: string; billed: number; appended: number } | undefined;

  /** Returns the load of the view without the finished answer at its end, which is not sent. */
  function sent(): Load {
    const { shown } = projection.projector;
    if (generation !== projection.generation) {
      generation = projection.generation;
      sizes = [];
      sum = NO_LOAD;
    }
    for (const { message } of shown.slice(sizes.length)) {
      const load = measureLoad(message);
      sizes.push(load);
      sum = addLoad(sum, load);
    }
    return sizes.slice(findViewEnd(projection)).reduce((load, last) => addLoad(load, last, -1), sum);
  }

  function takeUsage({ response, message }: MessageEntry): void {
    if (response === undefined || response.view !== projection.epoch) {
      if (usage !== undefined) usage.appended += estimateMessages([message]);
      return;
    }
    const measured = inputTokens(response.usage);
    samples.push({ estimated: sent().tokens, measured });
    usage = { epoch: projection.epoch, billed: measured + response.usage.output_tokens, appended: 0 };
  }

  return {
    projection,
    feed(entry) {
      pace.feed(entry);
      if (entry.type === 'message') takeUsage(entry);
      const { header } = projection;
      feedProjection(projection, entry);
      // Another model counts differently, and other tools were part of the bill.
      if (header !== undefined && header !== projection.header) samples = [];
    },
    measure() {
      const layers = [...projection.layers.values()].reduce((all, text) => all + estimateText(text), 0);
      const measured = { load: sent(), layers, samples, pace: pace.read() };
      if (usage?.epoch !== projection.epoch) return measured;
      const { billed, appended } = usage;
      return { ...measured, sinceUsage: { billed, appended } };
    },
  };
}

/** Tracks a session entry by entry: sizes of steps, calls that found the cache expired, the newest compaction. */
export function createPaceTracker(): { feed(entry: Entry): void; read(): SessionPace } {
  const steps: number[] = [];
  let [calls, cold] = [0, 0];
  /** Input tokens of the call before: what a warm cache holds. */
  let sent = 0;
  let epoch: string | undefined;
  let compacted: SessionPace['compacted'];

  /** Messages before the first answer belong to no step. */
  function takeStep({ origin, message }: MessageEntry): void {
    const tokens = estimateMessages([message]);
    if (origin === 'model') steps.push(tokens);
    else if (steps.length > 0) steps.push((steps.pop() ?? 0) + tokens);
  }

  /** An epoch's first call finds nothing cached; every later one should find what the call before it sent. */
  function takePause({ response }: MessageEntry): void {
    if (response === undefined) return;
    if (response.view === epoch) {
      calls += 1;
      if (response.usage.cache_read_input_tokens * 2 < sent) cold += 1;
    }
    sent = inputTokens(response.usage);
    epoch = response.view;
  }

  return {
    feed(entry) {
      if (entry.type === 'compaction') {
        const { tokensAfter: after, usage } = entry.receipt;
        compacted = { after, output: usage?.output_tokens };
      }
      if (entry.type !== 'message') return;
      takeStep(entry);
      takePause(entry);
    },
    read: () => ({ steps, calls, cold, ...omitUndefined({ compacted }) }),
  };
}
