/** Runs by the name that an address contains: their id, or `scenario:id` where two scenarios use the same one. */
import { HarnessError } from '../../errors.ts';
import type { RunFolder, RunStore } from '../../ports/run-store.ts';

export type ListedRuns = Awaited<ReturnType<RunStore['list']>>;

/** Only runs of the list are ever opened, so that no address is taken for a path. */
export async function findRun(store: RunStore, key: string): Promise<RunFolder> {
  return store.open(findListed(await store.list(), key).dir);
}

/** Contract: `not_found` when there is no such run, or more than one. */
export function findListed(runs: ListedRuns, key: string): ListedRuns[number] {
  const found = runs.filter((run) => isNamed(run, key));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = found.map(({ scenario, id }) => `${scenario}:${id}`).join(', ');
  const why = only === undefined ? 'There is no such run here.' : `Several runs have this id: ${names}.`;
  throw new HarnessError('not_found', why);
}

type Named = { id: string; scenario: string };

function isNamed({ id, scenario }: Named, key: string): boolean {
  return id === key || (key.length > id.length && `${scenario}:${id}` === key);
}

/** Names each of these runs in addresses; counted once, for there may be thousands. */
export function runKeys(runs: ListedRuns): (run: Named) => string {
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const { id } of runs) (seen.has(id) ? doubled : seen).add(id);
  return ({ id, scenario }) => (doubled.has(id) ? `${scenario}:${id}` : id);
}

/** `run-1.HITL-1.r2`: one word for a gate of a run; an id of a run holds no dot. */
export function gateKey(run: string, gate: string): string {
  return `${run}.${gate}`;
}

export function parseGateKey(key: string): { run: string; gate: string } {
  const [, run, gate] = /^([^.]{1,201})\.(HITL-1\.r[1-9]\d{0,3})$/.exec(key) ?? [];
  if (run !== undefined && gate !== undefined) return { run, gate };
  throw new HarnessError('not_found', 'A gate is named by run and gate, such as run-1.HITL-1.r2.');
}
