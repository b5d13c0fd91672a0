/** Writes off what an ended step still holds: calls whose process died, and without which the step was completed. */
import type { Spending, RunFolder } from '../../ports/run-store.ts';
import { usageError } from '../../errors.ts';
import { stepName } from '../../run/command.ts';
import type { RunState } from '../../run/state.ts';
import { decide } from '../../run/decide.ts';
import { listRememberedCalls } from './answered-call-counts.ts';

/** Counts them as uncertain, since the provider may have answered and nobody repeats them. A later answer replaces that. */
export async function writeOffAbandoned(spending: Spending, step: string): Promise<void> {
  const open = (await spending.list()).filter(
    ({ call, reservedUsd }) => reservedUsd > 0 && call.startsWith(`${step}.`),
  );
  for (const { call } of open) await spending.writeOff(call);
}

/** Sums the answers and costs of the calls of one step or turn, whose ids begin with its name. */
export async function sumSpent(spending: Spending, step: string): Promise<{ calls: number; usd: number }> {
  const mine = (await spending.list()).filter(({ call }) => call.startsWith(`${step}.`));
  return {
    calls: mine.reduce((sum, { answers }) => sum + answers, 0),
    usd: mine.reduce((sum, { usd }) => sum + usd, 0),
  };
}

/** Matches answers of an agent's own lane: `init.0007`, but not `init/summary.0001`. */
const OWN = /^(?:init|execute)\.(\d+)$/;

/** Resolves with the name of the call; its cost stays in the ledger. Contract: `usage` when nothing can be discarded. */
export async function discardLastAnswer(run: RunFolder, state: RunState): Promise<string> {
  const live = 'prev' in state ? { ...state, ...state.prev } : state;
  const step = stepName(decide(live));
  const calls = (await listRememberedCalls(run)).filter(
    ({ attempt, name }) => attempt.startsWith(`${step}@`) && OWN.test(name),
  );
  const last = calls.toSorted((one, other) => parseCallNumber(one.name) - parseCallNumber(other.name)).at(-1);
  if (last === undefined) {
    const message = `--discard-last-answer: no answer of ${step} is remembered in run ${run.id}. Resume it without.`;
    throw usageError(message, { details: { run: run.id, step } });
  }
  const attempt = run.artifacts.attemptAt(last.attempt, '');
  // Reading comes first, so that a name that occurs in one of several files is replaced only there.
  await attempt.recall(last.name);
  await attempt.remember(last.name, { version: 1, discarded: true });
  return last.name;
}

function parseCallNumber(name: string): number {
  return Number(OWN.exec(name)?.[1]);
}
