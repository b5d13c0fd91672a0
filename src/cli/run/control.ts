/** `tandem pause|cancel|fork|verify <run>`: stops a run, ends it, starts another from it, or checks it. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadScenario, findScenarioDir } from '../../config/load-scenario.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { giveOrder } from '../../pipeline/control/stop-order.ts';
import { forkRun } from '../../pipeline/control/fork.ts';
import { verifyRun } from '../../pipeline/control/verify.ts';
import { commandActor, type Call, type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { parseWholeNumber } from '../parse-numbers.ts';
import { createStopOrder, isForMany, orderMany, type ManyFlags } from '../runs/order-many.ts';
import { nextSteps, formatRunReference } from './finish.ts';

type OrderOptions = TextFlags<'comment'> & ManyFlags & { run: string | undefined };

/**
 * Pausing stops the running step and starts no other. Cancelling ends the run; a running call and its child processes
 * stop within two seconds.
 */
export async function orderCommand(
  name: 'pause' | 'cancel',
  { run: named, ...options }: OrderOptions,
  call: Call,
): Promise<number> {
  if (isForMany(named, options)) return orderMany(name, options, call);
  const { io } = call;
  const { comment, json } = options;
  const deps = openStore(findHome(io.cwd));
  const run = await deps.store.open(named ?? '');
  const order = createStopOrder(name, comment);
  const { before, after } = await giveOrder(run.dir, { order, actor: commandActor(io) }, deps);
  const shown = await formatRunReference(run, io);
  if (json === true) io.out(JSON.stringify({ run: run.id, before: before.status, status: after.status }));
  else if (name === 'pause') io.out(`Run ${run.id} is paused; paid answers are saved. Go on: tandem resume ${shown}`);
  else
    io.out(
      `Run ${run.id} is cancelled; it was ${before.status}. Its folder stays. A new run from it: tandem fork ${shown}`,
    );
  return EXIT.met;
}

export async function forkCommand(name: string, options: TextFlags<'at' | 'id'> & JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const from = await deps.store.open(name);
  const { dir: scenarioDir } = await loadScenario(home, findScenarioDir(from) ?? from.scenario);
  const event = options.at === undefined ? undefined : parseWholeNumber('--at', options.at, { least: 0 });
  const wanted = omitUndefined({ at: event, id: options.id });
  const { run, at, state } = await forkRun(from, { actor: commandActor(io), scenarioDir, ...wanted }, deps);
  if (options.json === true) {
    io.out(JSON.stringify({ run: run.id, folder: run.dir, from: from.id, at, status: state.status }));
    return EXIT.met;
  }
  io.out(`Run ${run.id} begins after event ${at} of ${from.id}: it is ${state.status}, with a money cap of its own.`);
  for (const line of nextSteps(await formatRunReference(run, io), state)) io.out(line);
  return EXIT.met;
}

/** Checks the hash chain, every committed file, and every digest of a decision. Exit code 1 when one differs. */
export async function verifyCommand(name: string, options: JsonFlag, io: Io): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const findings = await verifyRun(run);
  const unread = findings.filter((finding) => finding.unread === true).length;
  const broken = findings.filter(({ ok }) => !ok).length - unread;
  if (options.json === true) io.out(JSON.stringify({ run: run.id, ok: broken + unread === 0, findings }));
  else {
    for (const { what, ok, detail, unread } of findings)
      io.out(`${ok ? 'ok    ' : unread === true ? 'UNREAD' : 'BROKEN'} ${what.padEnd(36)} ${detail}`);
    if (unread > 0) io.out(`${unread} of ${findings.length} were not checked: this user has no right to read them.`);
    if (broken > 0)
      io.out(`${broken} of ${findings.length} are not as they were written. Restore them from a copy of ${run.dir}.`);
  }
  if (broken > 0) return EXIT.notMet;
  return unread === 0 ? EXIT.met : EXIT.usage;
}
