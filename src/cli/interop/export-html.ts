/** `tandem export html <run>`: writes the result pages of a run or an evaluation into one folder. */
import { basename, resolve } from 'node:path';
import { exportRun } from '../../app/web/export-run.ts';
import { evaluationIn } from '../../app/web/open-evaluations.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

/** Progress is reported after so many pages, for runs with thousands of trials. */
const EVERY = 500;

export async function exportHtml(name: string, { out }: { out?: string | undefined }, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const read = openStore(home);
  const evaluation = await evaluationIn(resolve(io.cwd, name));
  const what = evaluation ?? (await read.store.open(name));
  const folder = resolve(io.cwd, out ?? `${evaluation?.name ?? basename(what.dir)}-results`);
  const { pages } = await exportRun({ what, read, project: home.project, out: folder }, (done) => {
    if (done % EVERY === 0) io.err(`${done} pages …`);
  });
  io.err(`Wrote ${formatCount(pages, 'page')}: open ${folder}/index.html`);
  return EXIT.met;
}
