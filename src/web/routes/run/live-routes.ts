/** Server-sent events: an open page learns that its run has moved on. */
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { findRun } from '../../read/find-run.ts';
import type { News } from '../../read/run-news.ts';
import type { RunWatchers, NewsSubscription } from '../../read/watch-run.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { respondWithRefusal, type ReviewContext, type ReviewEnv } from '../respond.ts';

/** Proxies close what is silent; a browser notices a dead server. */
const BEAT_MS = 20_000;
/** Streams beyond this are refused: each holds a socket, and of those pages and the workers' files need some too. */
const MOST_READERS = 600;

function tooManyReaders(c: ReviewContext, deps: ReviewDeps): Response {
  c.header('retry-after', '30');
  const text = 'Too many pages are open for live updates. This page is whole; reload it for what is new.';
  return respondWithRefusal(c, deps, { status: 503, title: 'Too many readers', text });
}

export type Streams = {
  /** Keeps a stream open and writes each news of `follow`, until the reader leaves; refuses one too many. */
  open: <Update>(
    c: ReviewContext,
    follow: (send: (news: Update) => void) => NewsSubscription,
    as: { event: string; of: (news: Update) => unknown; id?: (news: Update) => string },
  ) => Response;
};

export function createStreams(deps: ReviewDeps): Streams {
  let readers = 0;
  return {
    open: (c, follow, { event, of, id }) => {
      if (readers >= MOST_READERS) return tooManyReaders(c, deps);
      c.header('x-accel-buffering', 'no');
      return streamSSE(c, async (stream) => {
        readers += 1;
        let watching: NewsSubscription | undefined;
        const beat = setInterval(() => void stream.write(': beat\n\n'), BEAT_MS);
        beat.unref();
        try {
          await new Promise<void>((end) => {
            stream.onAbort(end);
            watching = follow((news) => {
              const mark = id === undefined ? {} : { id: id(news) };
              void stream.writeSSE({ event, data: JSON.stringify(of(news)), ...mark }).catch(() => end());
            });
          });
        } finally {
          clearInterval(beat);
          watching?.stop();
          readers -= 1;
        }
      });
    },
  };
}

export function liveRoutes(deps: ReviewDeps, watchers: RunWatchers, streams: Streams): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>().get('/runs/:run/live', async (c) => {
    const run = await findRun(deps.store, c.req.param('run'));
    return streams.open<News>(c, (send) => watchers.follow(run, send), {
      event: 'state',
      of: (news) => news,
      id: ({ length }) => String(length),
    });
  });
}
