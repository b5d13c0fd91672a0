/** Folders that several files of tests only copy: the first file that asks makes one, the others wait for it. */
import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Set by `share-folder-setup.ts`, which also removes it; a bench has no such setup, and keeps its folders for itself. */
const root = (process.env['TANDEM_TEST_SHARED'] ??= mkdtempSync(join(tmpdir(), 'tandem-shared-')));

/** `make` gives a folder, which is moved to its place once it is whole. Where it fails, the next file tries. */
export async function shareFolder(name: string, make: () => Promise<string>): Promise<string> {
  const [ready, turn] = [join(root, name), join(root, `${name}.turn`)];
  while (!existsSync(ready)) {
    const isOurs = await mkdir(turn).then(
      () => true,
      () => false,
    );
    if (!isOurs) await delay(100);
    else {
      try {
        if (!existsSync(ready)) await rename(await make(), ready);
      } finally {
        await rm(turn, { recursive: true });
      }
    }
  }
  return ready;
}
