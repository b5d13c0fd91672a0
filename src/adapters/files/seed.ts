/** What an attempt starts from: files of earlier, committed folders, copied and never linked. */
import { copyFile, lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { confine, makeFolders, refuseLinks } from '../../disk/confine.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { MANIFEST } from '../../disk/manifest.ts';
import { walkFiles } from '../../disk/walk-files.ts';

/** Copies the file or folder `from` (of the run) to `to` (of `out`; `.` is `out` itself). An old manifest stays behind; a later seed wins. */
export async function copySeed(runDir: string, out: string, { from, to }: { from: string; to: string }): Promise<void> {
  const source = confine(runDir, from);
  const target = to === '.' || to === '' ? out : confine(out, to);
  await refuseLinks(runDir, source);
  const found = await valueOnErrno('ENOENT', undefined, lstat(source));
  if (found === undefined) {
    const message = `${from} is not in the run ${runDir}, and the step must start from it: restore it from a copy.`;
    throw new HarnessError('data_corrupt', message, { details: { runDir, from } });
  }
  if (!found.isDirectory()) return copyOne(source, out, target);
  await makeFolders(out, target);
  for (const path of await walkFiles(source)) {
    if (path !== MANIFEST) await copyOne(join(source, path), out, join(target, path));
  }
}

async function copyOne(source: string, out: string, target: string): Promise<void> {
  await makeFolders(out, dirname(target));
  await copyFile(source, target);
}
