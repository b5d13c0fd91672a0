/** Everything that code carries over a compaction word for word, from the whole transcript (S0.20). */
import { fill } from '../transcript/fill.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Core } from './core.ts';
import { findDone, renderDecisions, renderLedger, renderTodos } from './ledger.ts';
import type { Policy } from './policy.ts';
import { escapeTags, tagged } from './tags.ts';
import { findKeyPaths, findTasks, renderKeyPaths, renderTasks } from './tasks.ts';

export type Facts = {
  text: string;
  /** Paths that summary and facts together must name (S0.13, S0.17). */
  keyPaths: string[];
};

/** The mock user message as it stands in the view from a compaction on (S0.9). */
export function standingRequest({ prompts }: Core, facts: Facts): string {
  return fill(prompts.standing, { facts: facts.text });
}

/** `openGate` says which decision a person still owes; `earlier` is what the last summary cited and the new one does not. */
export function carryFacts(
  entries: readonly Entry[],
  policy: Policy,
  { openGate, earlier = [] }: { openGate?: string | undefined; earlier?: readonly string[] } = {},
): Facts {
  const tasks = findTasks(entries);
  const done = findDone(entries);
  const sections = [
    ...renderTasks(tasks, policy),
    ...renderKeyPaths(tasks),
    ...(openGate === undefined ? [] : [tagged('open_gate', escapeTags(openGate))]),
    ...renderTodos(done, policy),
    ...renderDecisions(done, policy),
    ...renderLedger(done, policy),
    ...(earlier.length === 0 ? [] : [tagged('earlier_facts', earlier.join('\n'))]),
  ];
  return {
    text: tagged('carried_facts', sections.join('\n')),
    keyPaths: findKeyPaths(tasks).map(([, path]) => path),
  };
}
