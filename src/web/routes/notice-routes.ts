/** `/notices`: the state of the channels, the undelivered notices, and the reasons. */
import { Hono } from 'hono';
import { noticesPage } from '../pages/notices-page.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { sendPage, type ReviewEnv } from './respond.ts';

export function noticeRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  const { notices } = deps;
  // Absent for a visitor with limited scenarios, because notices are about all of them.
  if (notices === undefined) return new Hono<ReviewEnv>();
  return new Hono<ReviewEnv>().get('/notices', async (c) =>
    sendPage(c, deps, { title: 'Notices', here: 'numbers', body: noticesPage(await notices()) }),
  );
}
