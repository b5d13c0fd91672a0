/** Server-sent events: an open page is told when its run moves on, and nothing more. */
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { findRun } from '../read/find-run.ts';
import type { News } from '../read/news.ts';
import type { RunWatchers, Watching } from '../read/watch-run.ts';
import type { ReviewDeps } from '../review-deps.ts';
import { refuse, type ReviewEnv } from './respond.ts';

/** Proxies close what is silent; a browser notices a dead server. */
const BEAT_MS = 20_000;
/** Streams beyond this are refused: each holds a socket. */
const MOST_READERS = 2000;

export function liveRoutes(deps: ReviewDeps, watchers: RunWatchers): Hono<ReviewEnv> {
  let readers = 0;
  return new Hono<ReviewEnv>().get('/runs/:run/live', async (c) => {
    if (readers >= MOST_READERS)
      return refuse(c, deps, 429, 'Too many readers', 'Too many pages are open; reload later.');
    const run = await findRun(deps.store, c.req.param('run'));
    c.header('x-accel-buffering', 'no');
    return streamSSE(c, async (stream) => {
      readers += 1;
      const write = async (news: News) =>
        stream.writeSSE({ event: 'state', id: String(news.length), data: JSON.stringify(news) });
      let watching: Watching | undefined;
      const beat = setInterval(() => void stream.write(': beat\n\n'), BEAT_MS);
      beat.unref();
      try {
        await new Promise<void>((end) => {
          stream.onAbort(end);
          watching = watchers.follow(run, (news) => void write(news).catch(() => end()));
        });
      } finally {
        clearInterval(beat);
        watching?.stop();
        readers -= 1;
      }
    });
  });
}
