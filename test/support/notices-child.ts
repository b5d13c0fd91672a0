/** One of many processes that look after the gates of a project and send its notices, until it is killed. */
import { openStore } from '../../src/app/open-store.ts';
import { startGateScheduler } from '../../src/app/notices/gate-scheduler.ts';
import { findHome } from '../../src/config/home.ts';
import { loadReviewers } from '../../src/config/reviewers.ts';
import { openLease } from '../../src/disk/lease.ts';

const [project = '', aheadMs = '0'] = process.argv.slice(2);
const home = findHome(project);
const clock = { now: () => new Date(Date.now() + Number(aheadMs)) };
const read = { ...openStore(home), clock };
startGateScheduler({
  ...{ project, read, env: process.env, base: 'http://desk.test' },
  reviewers: await loadReviewers(home),
  // As in production, where whoever dies is replaced after three minutes.
  lease: openLease({ files: read.shared, path: 'scenarios/.keeper.json' }, read.clock, { lastsMs: 1500 }),
  log: () => undefined,
  lookEveryMs: 150,
  tries: { tries: 3, pauseMs: 50, timeoutMs: 2500 },
}).start(new AbortController().signal);
// The looks do not keep a process alive; a worker has other reasons to.
setInterval(() => undefined, 60_000);
