/** `tandem pause|cancel|fork|verify <run>`: stop a run, end it, begin another from it, check it. */
import { endBatches } from '../../app/models/end-batches.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadScenario, scenarioAround } from '../../config/load-scenario.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { giveOrder } from '../../pipeline/control/control.ts';
import { forkRun } from '../../pipeline/control/fork.ts';
import { verifyRun } from '../../pipeline/control/verify.ts';
import { commandActor } from '../actor.ts';
import type { Call, Json, Texts } from '../call.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { nextSteps } from './next-steps.ts';
import { shownName } from './shown-name.ts';

type OrderOptions = Texts<'comment'> & Json;

/** No further step is begun, and the one that runs stops; `tandem resume` goes on. */
export async function pause(name: string, { comment, json }: OrderOptions, { io }: Call): Promise<number> {
  const order = { type: 'run.paused', reason: 'user', detail: comment ?? 'paused by hand' } as const;
  const { run, shown, before, status } = await give(order, name, io);
  if (json === true) io.out(JSON.stringify({ run, before, status }));
  else io.out(`Run ${run} is paused; paid answers are saved. Go on: tandem resume ${shown}`);
  return EXIT.met;
}

/** A running call and its child processes stop within two seconds. */
export async function cancel(name: string, { comment, json }: OrderOptions, { io, signal }: Call): Promise<number> {
  const order = { type: 'run.cancelled', detail: comment ?? '' } as const;
  const { run, shown, before, status, folder, home } = await give(order, name, io);
  const batches = await endBatches(folder, { home, env: io.env, signal });
  if (json === true) io.out(JSON.stringify({ run, before, status, ...(batches.length === 0 ? {} : { batches }) }));
  else {
    io.out(`Run ${run} is cancelled; it was ${before}. Its folder stays. A new run from it: tandem fork ${shown}`);
    for (const line of batches) io.out(line);
  }
  return EXIT.met;
}

async function give(order: Parameters<typeof giveOrder>[1]['order'], name: string, io: Io) {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const run = await deps.store.open(name);
  const { before, after } = await giveOrder(run.dir, { order, actor: commandActor(io) }, deps);
  return {
    run: run.id,
    shown: await shownName(run, io),
    before: before.status,
    status: after.status,
    folder: run,
    home,
  };
}

export async function fork(name: string, options: Texts<'at' | 'id'> & Json, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const from = await deps.store.open(name);
  const { dir: scenarioDir } = await loadScenario(home, scenarioAround(from) ?? from.scenario);
  const wanted = omitUndefined({ at: eventNumber(options.at), id: options.id });
  const { run, at, state } = await forkRun(from, { actor: commandActor(io), scenarioDir, ...wanted }, deps);
  if (options.json === true) {
    io.out(JSON.stringify({ run: run.id, folder: run.dir, from: from.id, at, status: state.status }));
    return EXIT.met;
  }
  io.out(`Run ${run.id} begins after event ${at} of ${from.id}: it is ${state.status}, with a money cap of its own.`);
  for (const line of nextSteps(await shownName(run, io), state)) io.out(line);
  return EXIT.met;
}

function eventNumber(text: string | undefined): number | undefined {
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usageError(`--at "${text}": expected the number of an event, such as --at 3.`);
}

/** Checks the hash chain, every committed file, and every digest of a decision. Exit code 1 when one differs. */
export async function verify(name: string, options: Json, io: Io): Promise<number> {
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
