/** `tandem store migrate` and `sweep`: update a store's tables to this version, and free what nothing refers to. */
import { migrateStoreAt, openStore, usesStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { chooseStore } from '../../config/store.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { type JsonFlag, type BooleanFlags, EXIT, type Io } from '../command-context.ts';

export async function migrateCommand(options: JsonFlag, io: Io): Promise<number> {
  const address = chooseStore(io.env);
  if (address === undefined)
    throw new HarnessError('usage', 'TANDEM_STORE names no database: there is nothing to migrate.');
  const { from, to } = await migrateStoreAt(address);
  if (options.json === true) io.out(JSON.stringify({ store: address.shown, from, to }));
  else if (from === to) io.out(`${address.shown} has version ${to} already.`);
  else io.out(`${address.shown} has version ${to} now; it was ${from}.`);
  return EXIT.met;
}

export async function sweepCommand(options: JsonFlag & BooleanFlags<'dryRun'>, io: Io): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  if (!usesStore()) throw usageError('TANDEM_STORE names no database: tandem sessions clean frees folders.');
  const dryRun = options.dryRun === true;
  const lines = await store.sweep({ dryRun, empty: true });
  if (options.json === true) io.out(JSON.stringify({ dryRun, lines }));
  else for (const line of lines.length === 0 ? ['Nothing to free.'] : lines) io.out(line);
  return EXIT.met;
}
