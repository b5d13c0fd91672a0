/** Opens the memory: one index per scenario in the project's `.tandem/`, or in this process if the disk takes none. */
import { join } from 'node:path';
import { openSqliteMemory } from '../adapters/memory/sqlite-memory.ts';
import type { Home } from '../config/home.ts';
import { isHarnessError, describeError } from '../errors.ts';
import { indexRun } from '../pipeline/sessions/index-sessions.ts';
import type { Memory } from '../ports/memory.ts';
import type { RunFolder } from '../ports/run-store.ts';

type OnComplaint = (message: string) => void;

/** Contract: never fails because of the disk; then the index is empty, and the caller fills it from the transcripts. */
export async function openMemory(home: Home, scenario: string, complain: OnComplaint): Promise<Memory> {
  try {
    return await openSqliteMemory(indexPath(home, scenario));
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    complain(`${describeError(error)} Going on without it.`);
    return openSqliteMemory(':memory:');
  }
}

function indexPath({ project }: Home, scenario: string): string {
  return join(project, '.tandem', 'memory', `${scenario}.sqlite`);
}

/** Contract: never fails the run; an error is reported, and the next search indexes the run. */
export async function rememberRun(home: Home, run: RunFolder, complain: OnComplaint): Promise<void> {
  try {
    const memory = await openSqliteMemory(indexPath(home, run.scenario));
    try {
      await memory.forget(run.id);
      await indexRun(run, memory);
    } finally {
      await memory.close();
    }
  } catch (error) {
    complain(`Run ${run.id} is not in the index of past sessions yet: ${describeError(error)}`);
  }
}
