/** `tandem pause <run>`: no further step is begun, and the one that runs stops; `tandem resume` goes on. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { giveOrder } from '../../pipeline/control/control.ts';
import { commandActor } from '../actor.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

export type OrderOptions = { comment?: string | undefined; json?: boolean | undefined };

export async function pauseCommand(name: string, options: OrderOptions, io: Io): Promise<number> {
  const deps = openStore(findHome(io.cwd));
  const { id } = await deps.store.open(name);
  const detail = options.comment ?? 'paused by hand';
  const { before, after } = await giveOrder(
    name,
    { type: 'run.paused', reason: 'user', detail },
    commandActor(io),
    deps,
  );
  if (options.json === true) io.out(JSON.stringify({ run: id, before: before.status, status: after.status }));
  else io.out(`Run ${id} is paused; what is paid for is kept. Go on: tandem resume ${id}`);
  return EXIT.met;
}
