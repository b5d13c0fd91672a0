/** `tandem store migrate`: the tables of a store become those that this program knows. */
import { migrate } from '../../app/open-store.ts';
import { chooseStore } from '../../config/store.ts';
import { HarnessError } from '../../errors.ts';
import type { Json } from '../call.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

export async function migrateCommand(options: Json, io: Io): Promise<number> {
  const address = chooseStore(io.env);
  if (address === undefined)
    throw new HarnessError('usage', 'TANDEM_STORE names no database: there is nothing to migrate.');
  const { from, to } = await migrate(address);
  if (options.json === true) io.out(JSON.stringify({ store: address.shown, from, to }));
  else if (from === to) io.out(`${address.shown} has version ${to} already.`);
  else io.out(`${address.shown} has version ${to} now; it was ${from}.`);
  return EXIT.met;
}
