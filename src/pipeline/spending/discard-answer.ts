/** Last resort for a step that always fails the same way: its agent's last answer is forgotten, and paid for anew. */
import { usageError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { stepName } from '../../run/command.ts';
import type { RunState } from '../../run/state.ts';
import { decide } from '../../run/decide.ts';
import { listRememberedCalls } from './answered-call-counts.ts';

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
