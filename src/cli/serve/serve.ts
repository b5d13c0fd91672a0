/** `tandem serve`: the review page, on loopback unless it is known who may come in. */
import { resolve } from 'node:path';
import { openQueueBoard, wakeWorkers } from '../../app/worker-queue.ts';
import { gateSchedulerLease, startGateScheduler, type GateScheduler } from '../../app/notices/gate-scheduler.ts';
import { endBatches } from '../../app/models/end-batches.ts';
import { openChat } from '../../app/web/open-chat.ts';
import { openReview } from '../../app/web/open-review.ts';
import { openStore } from '../../app/open-store.ts';
import { openTelemetry } from '../../app/open-telemetry.ts';
import { addressOf, hostsOf, originOf } from './listen-address.ts';
import { isLoopback } from '../../config/endpoint.ts';
import { findHome, type Home } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadReviewers, type Reviewers } from '../../config/reviewers.ts';
import { messageOf, usageError } from '../../errors.ts';
import type { RunOrder } from '../../ports/decisions.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { listen } from '../../web/listen.ts';
import { commandActor } from '../actor.ts';
import { stopped, type Call } from '../call.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { openLogOf, type LogFlags } from '../log.ts';
import { logLooks, observeServe } from './observe.ts';
import { newToken, tokenIn } from './token-file.ts';

export type ServeOptions = LogFlags & { listen: string; tokenFile?: string | undefined; json?: boolean | undefined };

/** Serves until the signal comes. */
export async function serveCommand(options: ServeOptions, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const log = openLogOf(options, io);
  const reviewers = await loadReviewers(home);
  const { host, port } = addressOf(options.listen);
  const loopback = isLoopback(host);
  if (!loopback) refuseUnprotectedAddress(host, reviewers);
  const token = options.tokenFile === undefined ? newToken() : await tokenIn(resolve(io.cwd, options.tokenFile));
  // The printed token only proves access to this terminal: on a network that is not enough.
  const local = loopback ? { name: commandActor(io).slice('user:'.length), token } : undefined;
  const hosts: string[] = [];
  const board = await openQueueBoard(home, io.env, (line) => log.line('warn', line));
  const shown = board === undefined ? {} : { board: board.routes };
  const read = openStore(home, log.progress(undefined));
  let keeping: GateScheduler | undefined;
  const seen = { runs: () => keeping?.runs(), notices: undefined as GateScheduler['notices'] };
  const lookedAt = () => keeping?.lookedAt() ?? Date.now();
  const decided = (run: string) => wakeWorkers(run, read, { home, env: io.env });
  const config = await loadConfig(home, { env: io.env });
  const telemetry = await openTelemetry(io.env, (line) => log.line('warn', line), { measure: true });
  log.follow(() => telemetry.here());
  const chat = openChat({
    ...{ home, config, env: io.env, reviewers, store: read.store, signal, telemetry },
    progress: log.progress(undefined),
  });
  const review = openReview({
    ...{ project: home.project, read, reviewers, secret: token, local, hosts },
    log: (line) => log.line('error', line),
    observe: observeServe(log, { shared: read.shared, clock: read.clock, keeping: seen, lookedAt, telemetry }),
    decided,
    ordered: afterOrder({ home, io, read, log, decided, signal }),
    ...{ chat, ...shown },
  });
  const server = await listen(review, { host, port });
  hosts.push(...hostsOf(host, server.port, reviewers));
  try {
    const base = baseOf(host, server.port, reviewers);
    const lease = gateSchedulerLease(read);
    keeping = startGateScheduler({
      ...{ project: home.project, read, reviewers, env: io.env, secret: token, base, lease },
      log: logLooks(log),
    });
    seen.notices = keeping.notices;
    announce(options, io, { host, port: server.port, token: local?.token, base });
    void review.warm().catch((error: unknown) => log.line('error', messageOf(error)));
    keeping.start(signal);
    await stopped(signal);
  } finally {
    await keeping?.close();
    await server.close();
    await board?.close();
    await chat.close();
    await telemetry.close();
  }
  return EXIT.met;
}

/** Refuses a network address without named reviewers, because the record could not show who approved. */
function refuseUnprotectedAddress(host: string, { reviewers, proxy }: Reviewers): void {
  if (proxy !== undefined || reviewers.some(({ token_sha256 }) => token_sha256 !== undefined)) return;
  throw usageError(
    `--listen ${host}: the page is served beyond this machine only when it is known who comes in. Name reviewers with token_sha256, or a proxy, in config/reviewers.yaml; or listen on 127.0.0.1 and use ssh -L.`,
  );
}

function baseOf(host: string, port: number, { base_url }: Reviewers): string {
  return base_url?.replace(/\/+$/, '') ?? originOf(host, port);
}

type ServeMessage = { host: string; port: number; token: string | undefined; base: string };

function announce(options: ServeOptions, io: Io, { host, port, token, base }: ServeMessage): void {
  const url = token === undefined ? base : `${originOf(host, port)}/sign-in?token=${token}`;
  if (options.json === true) {
    io.out(JSON.stringify({ url, port, api: `${base}/api/openapi.json` }));
    return;
  }
  io.out(`Review page   ${url}`);
  io.out(
    token === undefined
      ? 'Sign in with the token or the proxy that config/reviewers.yaml names.'
      : 'Whoever opens this address decides as you: keep it to yourself.',
  );
  io.err('Ctrl-C stops it; runs and gates do not need it.');
}

type Ordering = {
  home: Home;
  io: Io;
  read: ReadDeps;
  log: ReturnType<typeof openLogOf>;
  decided: (run: string) => Promise<void>;
  signal: AbortSignal;
};

/** Side effects of the commands: workers are notified of a retry, and batches of a cancelled run end at the provider, which takes a while. */
function afterOrder({ home, io, read, log, decided, signal }: Ordering): (order: RunOrder) => Promise<void> {
  return async ({ run, what }) => {
    if (what === 'retry') await decided(run);
    if (what !== 'cancel') return;
    const folder = await read.store.open(run);
    endBatches(folder, { home, env: io.env, signal }).then(
      (lines) => lines.forEach((line) => log.line('info', line)),
      (error: unknown) => log.line('error', messageOf(error)),
    );
  };
}
