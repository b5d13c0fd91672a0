/** Many small runs that have begun, for commands that are given to many at once. */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { openStore } from '../../src/app/open-store.ts';
import { findHome } from '../../src/config/home.ts';
import { created, started } from './run-events.ts';
import { scratch } from './scratch.ts';

export async function makeManyRuns(count: number): Promise<{ project: string; lengths: () => Promise<number[]> }> {
  const project = await scratch();
  await mkdir(join(project, 'scenarios/desk'), { recursive: true });
  const { store } = openStore(findHome(project));
  for (let index = 0; index < count; index += 1) {
    const run = await store.create(join(project, 'scenarios/desk'), `run-${index}`);
    const labels = { team: index % 2 === 0 ? 'even' : 'odd' };
    const { body, actor } = created({}, { scenario: 'desk', labels });
    await run.journal.append(body, actor, 0);
    await run.journal.append(started().body, started().actor, 1);
  }
  const lengths = async (): Promise<number[]> => {
    const all = await openStore(findHome(project)).store.list();
    const found = all.toSorted((one, other) => Number(one.id.slice(4)) - Number(other.id.slice(4)));
    return Promise.all(found.map(async (run) => (await store.at(run).list('events')).length));
  };
  return { project, lengths };
}
