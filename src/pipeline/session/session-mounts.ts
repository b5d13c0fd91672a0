/** Lists the folders that the agent of a session can see: its workspace, its person's uploads, and a run's files. */
import { join } from 'node:path';
import type { SessionFolder } from '../../ports/run-store.ts';
import type { Mount } from '../../ports/tools/tool-host.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import { READABLE_OF_RUNS } from '../chat/mentioned-files.ts';

export const WORKSPACE = 'workspace';
export const UPLOADS = 'uploads';

export function listSessionMounts({ dir }: Pick<SessionFolder, 'dir'>, { run }: Pick<SessionTurns, 'run'>): Mount[] {
  return [
    { logical: WORKSPACE, physical: join(dir, WORKSPACE), writable: true },
    { logical: UPLOADS, physical: join(dir, UPLOADS), writable: false },
    ...(run === undefined ? [] : READABLE_OF_RUNS).map((name) => ({
      ...{ logical: name, physical: join(run?.dir ?? '', name), writable: false },
    })),
  ];
}
