/** `tandem cancel <run>`: ends a run for good; a running call and its child processes stop within two seconds. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { giveOrder } from '../../pipeline/control/control.ts';
import { commandActor } from '../actor.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { OrderOptions } from './pause.ts';

export async function cancelCommand(name: string, options: OrderOptions, io: Io): Promise<number> {
  const deps = openStore(findHome(io.cwd));
  const { id } = await deps.store.open(name);
  const order = { type: 'run.cancelled', detail: options.comment ?? '' } as const;
  const { before, after } = await giveOrder(name, order, commandActor(io), deps);
  if (options.json === true) io.out(JSON.stringify({ run: id, before: before.status, status: after.status }));
  else
    io.out(`Run ${id} is cancelled; it was ${before.status}. Its folder stays. A new run from it: tandem fork ${id}`);
  return EXIT.met;
}
