/** The review page as one app: guards first, then sign-in, then what only those who are signed in may see or do. */
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { isHarnessError } from '../errors.ts';
import { ASSETS } from './browser/assets.ts';
import { createRateLimit } from './guard/rate-limit.ts';
import { scopeKey, getReadScope, limitToScope, type Scope } from './guard/scope.ts';
import { MOST_OF_A_PAGE, openGates } from './read/open-gates.ts';
import { createBatchWatchers, type BatchWatchers } from './read/watch-batch.ts';
import { createRunWatchers, type RunWatchers } from './read/watch-run.ts';
import type { ReviewDeps } from './web-deps.ts';
import { apiRoutes } from './routes/api/api-routes.ts';
import { batchRoutes } from './routes/run/batch-routes.ts';
import { commentRoutes } from './routes/gate/comment-routes.ts';
import { decisionRoutes } from './routes/gate/decision-routes.ts';
import { draftRoutes } from './routes/gate/draft-routes.ts';
import { GATE_PATH } from './routes/gate/gate-request.ts';
import { saveAfterSignOut } from './routes/gate/save-after-sign-out.ts';
import { editRoutes } from './routes/gate/edit-routes.ts';
import {
  headerGuard,
  hostGuard,
  identityGuard,
  rateGuard,
  signedInGuard,
  sizeGuard,
  requireVisitor,
} from './routes/guards.ts';
import { createStreams, liveRoutes, type Streams } from './routes/run/live-routes.ts';
import { pageRoutes } from './routes/page-routes.ts';
import { respondWithRefusal, respondWithError, type ReviewEnv } from './routes/respond.ts';
import { chatRoutes } from './routes/gate/chat-routes.ts';
import { labelRoutes } from './routes/run/label-routes.ts';
import { listRoutes } from './routes/run/list-routes.ts';
import { resultsRoutes } from './routes/run/results-routes.ts';
import { trialRoutes } from './routes/run/trial-routes.ts';
import { objectionRoutes } from './routes/run/objection-routes.ts';
import { sessionRoutes } from './routes/run/session-routes.ts';
import { transcriptRoutes } from './routes/run/transcript-routes.ts';
import { orderRoutes } from './routes/run/order-routes.ts';
import { undoRoutes } from './routes/gate/undo-routes.ts';
import { healthRoute, metricsRoute, observeGuard } from './routes/request-log.ts';
import { belowPath, pathBelow } from './routes/below-path.ts';
import { signInRoutes } from './routes/sign-in-routes.ts';

export type Review = {
  app: Hono<ReviewEnv>;
  /** How many runs and batches have readers now. */
  watched: () => number;
  /** Reads what waits once, so that the first page does not have to. */
  warm: () => Promise<void>;
  close: () => void;
};

export function createReview(deps: ReviewDeps, log: (line: string) => void): Review {
  const watchers = createRunWatchers();
  const rooms = openRooms(deps, { watchers, streams: createStreams(deps), log });
  const tries = createRateLimit(deps.limits.signIns, () => deps.clock.now().getTime());
  const base = deps.base ?? '';
  const app = withErrors(new Hono<ReviewEnv>({ getPath: pathBelow(base) }), deps, log);
  // Safe to compress: no page has a secret that stays the same next to foreign text, because form tokens differ each time.
  app.use(compress());
  app.use(belowPath(base));
  app.use(observeGuard(deps));
  app.get('/healthz', healthRoute(deps));
  app.use(headerGuard, hostGuard(deps), identityGuard(deps, tries), rateGuard(deps), sizeGuard(deps));
  for (const { path, type, body } of Object.values(ASSETS)) {
    app.get(path, (c) =>
      c.body(body, 200, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }),
    );
  }
  app.route('/', signInRoutes(deps, tries));
  for (const path of [GATE_PATH, `${GATE_PATH}/:what`, `${GATE_PATH}/edit/draft`])
    app.post(path, saveAfterSignOut(deps));
  app.use(signedInGuard(deps));
  app.get('/metrics', metricsRoute(deps));
  app.all('*', (c) => {
    const visitor = requireVisitor(c);
    return rooms.of(getReadScope(visitor, deps.access)).fetch(c.req.raw, { ...c.env, visitor });
  });
  return {
    app,
    watched: () => watchers.count() + rooms.watched(),
    warm: async () => void (await openGates(deps, { most: MOST_OF_A_PAGE })),
    close: () => {
      watchers.close();
      rooms.close();
    },
  };
}

type Shared = { watchers: RunWatchers; streams: Streams; log: (line: string) => void };

/** One set of routes for each scope: they are given only the runs that its visitors may read. */
function openRooms(deps: ReviewDeps, shared: Shared) {
  const rooms = new Map<string, { app: Hono<ReviewEnv>; batches: BatchWatchers }>();
  const open = (key: string, scope: Scope) => {
    const own = limitToScope(deps, scope);
    const room = {
      batches: createBatchWatchers(own.batches),
      app: new Hono<ReviewEnv>({ getPath: pathBelow(deps.base ?? '') }),
    };
    addRoutes(room.app, own, { ...shared, batches: room.batches });
    rooms.set(key, room);
    return room;
  };
  const each = () => [...rooms.values()];
  return {
    of: (scope: Scope) => (rooms.get(scopeKey(scope)) ?? open(scopeKey(scope), scope)).app,
    watched: () => each().reduce((sum, { batches }) => sum + batches.count(), 0),
    close: () => each().forEach(({ batches }) => batches.close()),
  };
}

function addRoutes(app: Hono<ReviewEnv>, deps: ReviewDeps, shared: Shared & { batches: BatchWatchers }): void {
  const { watchers, streams, batches, log } = shared;
  withErrors(app, deps, log).use((c, next) => {
    c.set('visitor', c.env.visitor);
    return next();
  });
  app.route('/', decisionRoutes(deps));
  app.route('/', commentRoutes(deps));
  app.route('/', draftRoutes(deps));
  app.route('/', apiRoutes(deps));
  app.route('/', undoRoutes(deps));
  app.route('/', chatRoutes(deps));
  app.route('/', editRoutes(deps));
  app.route('/', orderRoutes(deps));
  app.route('/', pageRoutes(deps));
  app.route('/', labelRoutes(deps));
  app.route('/', objectionRoutes(deps));
  app.route('/', listRoutes(deps));
  app.route('/', resultsRoutes(deps));
  app.route('/', trialRoutes(deps));
  app.route('/', transcriptRoutes(deps));
  app.route('/', sessionRoutes(deps));
  app.route('/', liveRoutes(deps, watchers, streams));
  app.route('/', batchRoutes(deps, batches, streams));
}

/** Never two slashes at the beginning: that would lead to another host. */
const SLASH_AT_END = /^(?:\/[A-Za-z0-9._-]+)+\/$/;

function withErrors(app: Hono<ReviewEnv>, deps: ReviewDeps, log: (line: string) => void): Hono<ReviewEnv> {
  app.onError((error, c) => {
    if (!isHarnessError(error)) log(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
    return respondWithError(c, deps, error);
  });
  app.notFound((c) =>
    c.req.method === 'GET' && SLASH_AT_END.test(c.req.path)
      ? c.redirect(c.req.path.slice(0, -1), 308)
      : respondWithRefusal(c, deps, { status: 404, title: 'Not here', text: 'There is no such page.' }),
  );
  return app;
}
