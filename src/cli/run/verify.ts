/** `tandem verify <run>`: the hash chain, every committed file, and every digest that was decided on. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { verifyRun } from '../../pipeline/control/verify.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

/** Exit code 0 when all is as it was written, 1 when something is not. */
export async function verifyCommand(name: string, options: { json?: boolean | undefined }, io: Io): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const findings = await verifyRun(run);
  const broken = findings.filter(({ ok }) => !ok);
  if (options.json === true) io.out(JSON.stringify({ run: run.id, ok: broken.length === 0, findings }));
  else {
    for (const { what, ok, detail } of findings) io.out(`${ok ? 'ok    ' : 'BROKEN'} ${what.padEnd(36)} ${detail}`);
    if (broken.length > 0)
      io.out(
        `${broken.length} of ${findings.length} are not as they were written. Restore them from a copy of ${run.dir}.`,
      );
  }
  return broken.length === 0 ? EXIT.met : EXIT.notMet;
}
