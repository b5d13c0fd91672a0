/** `tandem store migrate|sweep` and `tandem copy`: the store that machines share, and runs that move between stores. */
import { migrateStoreAt, openStore, usesStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { chooseStore } from '../../config/store.ts';
import { HarnessError, usageError, isHarnessError } from '../../errors.ts';
import { type JsonFlag, type BooleanFlags, EXIT, printAnswer, type Io, type TextFlags } from '../command-context.ts';
import { resolve } from 'node:path';
import { copyRun, exportRunFolder, type CopiedRun } from '../../app/copy-run.ts';

export async function migrateCommand(options: JsonFlag, io: Io): Promise<number> {
  const address = chooseStore(io.env);
  if (address === undefined) throw usageError('TANDEM_STORE names no database: there is nothing to migrate.');
  const { from, to } = await migrateStoreAt(address);
  const line = `${address.shown} has version ${to} ${from === to ? 'already.' : `now; it was ${from}.`}`;
  return printAnswer(io, { json: options.json, value: { store: address.shown, from, to }, lines: [line] });
}

export async function sweepCommand(options: JsonFlag & BooleanFlags<'dryRun'>, io: Io): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  if (!usesStore()) throw usageError('TANDEM_STORE names no database: tandem sessions clean frees folders.');
  const dryRun = options.dryRun === true;
  const lines = await store.sweep({ dryRun, empty: true });
  const said = lines.length === 0 ? ['Nothing to free.'] : lines;
  return printAnswer(io, { json: options.json, value: { dryRun, lines }, lines: said });
}

/** Copies all runs that can be copied; exit code 6 when one could not. */
export async function copyCommand(name: string, options: { to: string } & JsonFlag, io: Io): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  const to = /^[a-z]+:\/\//.test(options.to) ? options.to : resolve(io.cwd, options.to);
  const isPattern = name.includes('*');
  const names = isPattern
    ? (await store.list()).filter(({ id }) => toIdPattern(name).test(id)).map(({ id }) => id)
    : [name];
  if (names.length === 0) throw new HarnessError('not_found', `No run fits ${name}. tandem status lists them.`);
  let failed = 0;
  for (const one of names) {
    try {
      const copied = await copyRun(await store.open(one), to);
      printAnswer(io, { json: options.json, value: copied, lines: [formatCopiedRun(copied)] });
    } catch (error) {
      if (!isPattern || !isHarnessError(error)) throw error;
      failed += 1;
      io.err(`${one} is not copied: ${error.message}`);
    }
  }
  return failed === 0 ? EXIT.met : EXIT.infrastructure;
}

function formatCopiedRun({ run, to, files, bytes, labels }: CopiedRun): string {
  const along = labels === 0 ? '' : `; ${labels} ${labels === 1 ? 'label' : 'labels'} of its scenario went along`;
  return `${run}  ${files} files, ${bytes} bytes, the same digests in ${to}${along}`;
}

/** In a pattern, `*` matches any part of an id. */
function toIdPattern(name: string): RegExp {
  const parts = name.split('*').map((part) => part.replaceAll(/[^A-Za-z0-9_-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}

export async function exportFolder(name: string, { out }: TextFlags<'out'>, io: Io): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const { to, files } = await exportRunFolder(run, resolve(io.cwd, out ?? run.id));
  io.err(`Wrote ${to}: ${files} files, each with the digest that it has in its home.`);
  return EXIT.met;
}
