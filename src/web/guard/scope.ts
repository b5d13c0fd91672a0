/** Limits what a visitor may read: a reviewer listed for some scenarios sees nothing of the others. */
import { HarnessError } from '../../errors.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { Batches, ReviewDeps } from '../web-deps.ts';
import type { Access, Visitor } from './visitor.ts';

/** Names of scenarios; undefined means all. */
export type Scope = ReadonlySet<string> | undefined;

/** A reviewer listed without scenarios reads all of them, and so does an admitted visitor who is not listed. */
export function getReadScope({ name }: Pick<Visitor, 'name'>, { reviewers }: Access): Scope {
  const listed = reviewers.find((one) => isSameActor(one.name, name));
  if (listed?.scenarios === undefined || listed.reads === 'all') return undefined;
  return new Set([...listed.scenarios, ...(listed.reads ?? [])]);
}

/** Returns equal keys for equal scopes. */
export function scopeKey(scope: Scope): string {
  return scope === undefined ? '*' : JSON.stringify([...scope].toSorted());
}

/** Returns the dependencies limited to some runs: a route that gets these cannot show another scenario. */
export function limitToScope(deps: ReviewDeps, scope: Scope): ReviewDeps {
  if (scope === undefined) return deps;
  return {
    ...deps,
    store: scopedStore(deps.store, scope),
    batches: scopedBatches(deps.batches, scope),
    evaluations: {
      list: async () => (await deps.evaluations.list()).filter(({ scenario }) => scope.has(scenario)),
    },
  };
}

function scopedStore(store: RunStore, scope: ReadonlySet<string>): RunStore {
  const isIn = ({ scenario }: { scenario: string }): boolean => scope.has(scenario);
  return {
    ...store,
    open: async (name) => {
      const run = await store.open(name);
      if (isIn(run)) return run;
      throw new HarnessError('not_found', 'There is no such run here.');
    },
    folders: async () => (await store.folders()).filter(isIn),
    list: async () => (await store.list()).filter(isIn),
  };
}

function scopedBatches(batches: Batches, scope: ReadonlySet<string>): Batches {
  return {
    list: async () =>
      (await batches.list()).flatMap((batch) => {
        const runs = batch.runs.filter((_, index) => scope.has(batch.scenarios[index] ?? ''));
        const scenarios = batch.scenarios.filter((scenario) => scope.has(scenario));
        return runs.length === 0 ? [] : [{ ...batch, runs, scenarios }];
      }),
    read: async (id) => {
      const { summary, dirs } = await batches.read(id);
      const rows = summary.rows.filter(({ scenario }) => scope.has(scenario));
      if (rows.length === summary.rows.length) return { summary, dirs };
      if (rows.length === 0) throw new HarnessError('not_found', 'There is no such batch here.');
      const own = dirs.filter((_, index) => scope.has(summary.rows[index]?.scenario ?? ''));
      // The cap applies to all runs of the batch, so it is not shown for some of them.
      return { summary: { ...summary, budgetUsd: undefined, rows }, dirs: own };
    },
  };
}
