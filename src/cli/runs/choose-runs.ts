/** Chooses runs by `--where 'label.team=x state=errored older=2d'`; all its terms must hold. */
import type { ProjectDeps } from '../../app/open-store.ts';
import { usageError } from '../../errors.ts';
import { type IndexedRun, getRunIndex } from '../../run-folder/run-index.ts';
import { Labels } from '../../run/event.ts';
import { FINAL_STATUSES } from '../../run/run-outcome.ts';
import { LIVE_STATUSES } from '../../run/state.ts';
import { parseDurationMs } from '../parse-numbers.ts';

type RunTerm = (run: IndexedRun, now: number) => boolean;

const EXAMPLE = "--where 'label.team=payments state=errored older=2d'";
const STATES: readonly string[] = [...LIVE_STATUSES, 'paused', 'errored', ...FINAL_STATUSES];

/** Returns the chosen runs, oldest first; runs that cannot be read are never chosen. */
export async function chooseRuns(where: string, { store, clock }: ProjectDeps): Promise<IndexedRun[]> {
  const terms = parseWhere(where);
  const { runs } = await getRunIndex(store).look();
  const now = clock.now().getTime();
  const chosen = runs.filter((run) => terms.every((holds) => holds(run, now)));
  return chosen.toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}

export function parseWhere(where: string): RunTerm[] {
  const words = where.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) throw usageError(`--where names no run: say which, such as ${EXAMPLE}.`);
  return words.map(parseTerm);
}

function parseTerm(word: string): RunTerm {
  const [, key = '', not = '', value = ''] = /^([^=!]+)(!?)=(.+)$/.exec(word) ?? [];
  const wanted = value.split('|');
  const compare = (found: string | undefined): boolean =>
    (found !== undefined && wanted.includes(found)) === (not === '');
  if (key.startsWith('label.')) return ({ labels }) => compare(labels?.[key.slice('label.'.length)]);
  if (key === 'scenario') return ({ scenario }) => compare(scenario);
  if (key === 'state') {
    const unknown = wanted.find((one) => !STATES.includes(one));
    if (unknown === undefined) return ({ status }) => compare(status);
    throw usageError(`--where state=${unknown}: expected ${STATES.join(', ')}.`);
  }
  if ((key === 'older' || key === 'younger') && not === '') {
    const ms = parseDurationMs(`--where ${key}=`, value);
    return ({ at }, now) => now - Date.parse(at) >= ms === (key === 'older');
  }
  throw usageError(
    `--where "${word}": expected label.<name>=<value>, state=<state>, scenario=<name>, older=<duration> or younger=<duration>, such as ${EXAMPLE}.`,
  );
}

export function parseLabels(given: readonly string[] | undefined): Labels | undefined {
  if (given === undefined) return undefined;
  const pairs = given.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)] as const);
  const labels = Labels.safeParse(Object.fromEntries(pairs));
  if (given.every((one) => one.includes('=')) && labels.success && Object.keys(labels.data).length === given.length)
    return labels.data;
  throw usageError(
    `--label "${given.join('", "')}": expected <name>=<value>, each name once, such as --label team=payments. Both of letters, digits and ._-/; a value also of :@+.`,
  );
}
