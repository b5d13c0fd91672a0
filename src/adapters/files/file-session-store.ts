/** Sessions on disk: `sessions/<id>/` of a project, each a folder like a run's. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { syncFolder } from '../../disk/atomic-write.ts';
import { getErrno, onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SessionFolder, SessionStore } from '../../ports/run-store.ts';
import { SessionBody, SessionEvent } from '../../run/session-event.ts';
import { openShapedJournal } from './file-journal.ts';
import { isRunId } from './find-runs.ts';
import { openRunFolder } from './run-folder.ts';

export const SESSION_SHAPE = { event: SessionEvent, body: SessionBody };

export function openFileSessionStore(project: string, options: { clock: Clock; worker: string }): SessionStore {
  const root = join(project, 'sessions');
  const at = (id: string): SessionFolder => {
    const dir = join(root, id);
    const { scenario: _none, ...folder } = openRunFolder({ id, scenario: 'session', dir }, options);
    return { ...folder, journal: openShapedJournal(dir, SESSION_SHAPE, options) };
  };
  const ids = async (): Promise<string[]> => {
    const items = await valueOnErrno('ENOENT', [], readdir(root, { withFileTypes: true }));
    const names = items.filter((item) => item.isDirectory() && isRunId(item.name)).map(({ name }) => name);
    return names.toSorted().toReversed();
  };
  return {
    create: (id) =>
      onDisk(`Creating session ${id}`, async () => {
        nameSession(id);
        await mkdir(root, { recursive: true });
        await mkdir(join(root, id)).catch((error: unknown) => {
          if (getErrno(error) !== 'EEXIST') throw error;
          throw new HarnessError('usage', `A session ${id} exists already: tandem session --resume ${id}.`);
        });
        for (const name of ['workspace', 'uploads']) await mkdir(join(root, id, name));
        await syncFolder(root);
        return at(id);
      }),
    find: (name) =>
      onDisk(`Looking for session ${name}`, async () => {
        const found = pickSession(name, await ids());
        return found === undefined ? undefined : at(found);
      }),
    list: () => onDisk('Listing the sessions', async () => (await ids()).map(at)),
  };
}

/** Contract: `usage` for what cannot name one. */
export function nameSession(id: string): void {
  if (!isRunId(id)) throw new HarnessError('usage', `${JSON.stringify(id)} cannot name a session.`);
}

/** The one that is named so, or begins so. */
export function pickSession(name: string, ids: readonly string[]): string | undefined {
  const found = ids.includes(name) ? [name] : ids.filter((id) => name !== '' && id.startsWith(name));
  if (found.length < 2) return found[0];
  throw new HarnessError('not_found', `${name} could be ${found.slice(0, 10).join(', ')}: name one by its whole id.`);
}
