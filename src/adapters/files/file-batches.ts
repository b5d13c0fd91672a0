/** Batches of a project in folders: `batches/<id>.json`, and `batches/<id>/` with the money that its runs share. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import type { Spending } from '../../ports/run-store.ts';
import type { BatchStore } from '../../ports/batches.ts';
import { openFileSpending } from './file-spending.ts';

export function openFileBatches(project: string): BatchStore {
  const all = join(project, 'batches');
  const file = (id: string): string => join(all, `${id}.json`);
  const ledgers = new Map<string, Spending>();
  return {
    ids: async () => {
      const names = await onDisk('Listing the batches', () => valueOnErrno('ENOENT', [], readdir(all)));
      return names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [])).toSorted();
    },
    read: (id) => onDisk(`Reading batch ${id}`, () => valueOnErrno('ENOENT', undefined, readFile(file(id), 'utf8'))),
    write: (id, text) =>
      onDisk(`Writing batch ${id}`, async () => {
        await mkdir(join(all, id), { recursive: true });
        await atomicWrite(file(id), text);
      }),
    remove: (id) =>
      onDisk(`Removing batch ${id}`, async () => {
        await rm(file(id), { force: true });
        await rm(join(all, id), { recursive: true, force: true });
        ledgers.delete(id);
      }),
    spending: async (id) => {
      const ledger = ledgers.get(id) ?? openFileSpending(join(all, id));
      ledgers.set(id, ledger);
      return ledger;
    },
    dirOf: async ({ dir }) => (isAbsolute(dir) ? dir : resolve(project, dir)),
  };
}
