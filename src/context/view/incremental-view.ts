/** Follows one session: the next view and its size cost only what was appended since the last look. */
import { estimateMessages, estimateText } from '../../transcript/tokens.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import type { Core } from '../core.ts';
import { addLoad, loadOf, NO_LOAD } from '../plan/request-load.ts';
import type { Load } from '../plan/request-load.ts';
import { createProjection, endOf } from './projection.ts';
import { inputTokens } from '../record/receipt.ts';
import { pressureOf } from '../plan/pressure.ts';
import type { ContextMeasurement, Moment, Pressure, TokenSample } from '../plan/pressure.ts';
import { viewOf } from './view.ts';
import type { View } from './view.ts';

export type Follower = {
  view(entries: readonly Entry[]): View;
  pressure(entries: readonly Entry[], moment?: Moment): Pressure;
};

/**
 * Contract: the same answers as `view` and `shouldCompact`, for any entries at any time; quick when the entries are those
 * of the last look with others appended.
 */
export function createFollower(core: Core): Follower {
  let seen: { length: number; last: Entry | undefined } = { length: 0, last: undefined };
  let pace = createUsageTracker(core.policy.calibration.samples);
  function catchUp(entries: readonly Entry[]): void {
    const goesOn = entries.length >= seen.length && entries[seen.length - 1] === seen.last;
    if (!goesOn) pace = createUsageTracker(core.policy.calibration.samples);
    for (let place = goesOn ? seen.length : 0; place < entries.length; place += 1) {
      const entry = entries[place];
      if (entry !== undefined) pace.feed(entry);
    }
    seen = { length: entries.length, last: entries.at(-1) };
  }
  return {
    view(entries) {
      catchUp(entries);
      return viewOf(pace.projection);
    },
    pressure(entries, moment = {}) {
      catchUp(entries);
      return pressureOf(pace.measure(), core, moment);
    },
  };
}

/** The projection with the size of every message in it, kept up as it grows. */
function createUsageTracker(most: number) {
  const projection = createProjection();
  let generation = 0;
  let sizes: Load[] = [];
  let sum: Load = NO_LOAD;
  let samples: TokenSample[] = [];
  let usage: { epoch: string; billed: number; appended: number } | undefined;

  function sizeUp(): void {
    if (generation !== projection.generation) {
      generation = projection.generation;
      sizes = [];
      sum = NO_LOAD;
    }
    for (let place = sizes.length; place < projection.shown.length; place += 1) {
      const message = projection.shown[place]?.message;
      const load = message === undefined ? NO_LOAD : loadOf(message);
      sizes.push(load);
      sum = addLoad(sum, load);
    }
  }

  /** Less the finished answers at the end, which are not sent. */
  function sent(): Load {
    sizeUp();
    let load = sum;
    for (let place = sizes.length - 1; place >= endOf(projection.shown); place -= 1)
      load = addLoad(load, sizes[place] ?? NO_LOAD, -1);
    return load;
  }

  function takeUsage({ response, message }: MessageEntry): void {
    if (response === undefined || response.view !== projection.epoch) {
      if (usage !== undefined) usage.appended += estimateMessages([message]);
      return;
    }
    const measured = inputTokens(response.usage);
    samples = [...samples, { estimated: sent().tokens, measured }].slice(-most);
    usage = { epoch: projection.epoch, billed: measured + response.usage.output_tokens, appended: 0 };
  }

  function feed(entry: Entry): void {
    if (entry.type === 'message') takeUsage(entry);
    const { header } = projection;
    projection.feed(entry);
    // Another model counts otherwise, and other tools were part of what was billed.
    if (header !== undefined && header !== projection.header) samples = [];
  }

  function measure(): ContextMeasurement {
    const layers = [...projection.layers.values()].reduce((all, text) => all + estimateText(text), 0);
    const measured = { load: sent(), layers, samples };
    if (usage?.epoch !== projection.epoch) return measured;
    const { billed, appended } = usage;
    return { ...measured, sinceUsage: { billed, appended } };
  }

  return { projection, feed, measure };
}
