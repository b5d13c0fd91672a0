/** `tandem serve`: serves the review page, on loopback unless the configuration says who may come in. */
import { resolve } from 'node:path';
import { wakeWorkers } from '../../app/worker-queue.ts';
import { gateSchedulerLease, startGateScheduler, type GateScheduler } from '../../app/notices/gate-scheduler.ts';
import { openChat } from '../../app/web/open-chat.ts';
import { openReview } from '../../app/web/open-review.ts';
import { openStore } from '../../app/open-store.ts';
import { openTelemetry } from '../../app/open-telemetry.ts';
import { parseListenAddress, listAllowedHosts, formatOrigin } from './listen-address.ts';
import { isLoopback } from '../../config/endpoint.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadReviewers, type Reviewers } from '../../config/reviewers.ts';
import { describeError, usageError } from '../../errors.ts';
import { startListening } from '../../web/listen.ts';
import {
  commandActor,
  waitForAbort,
  type BooleanFlags,
  type Call,
  type TextFlags,
  EXIT,
  type Io,
} from '../command-context.ts';
import { openCommandLog, type LogFlags } from '../log.ts';
import { createLookLog, observeServe } from './observe-serve.ts';
import { createToken, readOrCreateToken } from './token-file.ts';

export type ServeOptions = LogFlags & TextFlags<'tokenFile'> & BooleanFlags<'json' | 'work'> & { listen: string };

/** Serves until the signal aborts. */
export async function serveCommand(options: ServeOptions, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const log = openCommandLog(options, io);
  const reviewers = await loadReviewers(home);
  const { host, port } = parseListenAddress(options.listen);
  const loopback = isLoopback(host);
  if (!loopback) refuseUnprotectedAddress(host, reviewers);
  const token =
    options.tokenFile === undefined ? createToken() : await readOrCreateToken(resolve(io.cwd, options.tokenFile));
  // The printed token only proves access to this terminal, which is not enough on a network.
  const local = loopback ? { name: commandActor(io).slice('user:'.length), token } : undefined;
  const hosts: string[] = [];
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
  // Loaded only on demand, because it brings everything that a run needs.
  const starter =
    options.work === true ? (await import('./start-work.ts')).createRunStarter({ io, signal }) : undefined;
  const review = openReview({
    ...{ project: home.project, read, reviewers, secret: token, local, hosts },
    log: (line) => log.line('error', line),
    observe: observeServe(log, { shared: read.shared, clock: read.clock, keeping: seen, lookedAt, telemetry }),
    decided,
    ordered: async ({ run, what }) => {
      if (what === 'retry') await decided(run);
    },
    chat,
    startWork: starter?.start,
  });
  const server = await startListening(review, { host, port });
  hosts.push(...listAllowedHosts(host, server.port, reviewers));
  try {
    const base = getBaseUrl(host, server.port, reviewers);
    const lease = gateSchedulerLease(read);
    keeping = startGateScheduler({
      ...{ project: home.project, read, reviewers, env: io.env, secret: token, base, lease },
      log: createLookLog(log),
    });
    seen.notices = keeping.notices;
    printServeAddress(options, io, { host, port: server.port, token: local?.token, base });
    void review.warm().catch((error: unknown) => log.line('error', describeError(error)));
    keeping.start(signal);
    await waitForAbort(signal);
  } finally {
    await keeping?.close();
    await server.close();
    await starter?.close();
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

function getBaseUrl(host: string, port: number, { base_url }: Reviewers): string {
  return base_url?.replace(/\/+$/, '') ?? formatOrigin(host, port);
}

type ServeAddress = { host: string; port: number; token: string | undefined; base: string };

function printServeAddress(options: ServeOptions, io: Io, { host, port, token, base }: ServeAddress): void {
  const url = token === undefined ? base : `${formatOrigin(host, port)}/sign-in?token=${token}`;
  if (options.json === true) {
    io.out(JSON.stringify({ url, port, api: `${base}/api/gates` }));
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
