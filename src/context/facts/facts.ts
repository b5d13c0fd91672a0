/** Everything that code carries over a compaction word for word, from the whole transcript (S0.20). */
import { headOf } from '../../transcript/cut-text.ts';
import { fill } from '../../transcript/fill-template.ts';
import type { Entry } from '../../transcript/entry.ts';
import { renderSkill } from './active-skill.ts';
import type { Core } from '../core.ts';
import { findDone, renderDecisions, renderLedger, renderTodos } from './ledger.ts';
import type { Policy } from '../policy.ts';
import { escapeTags, tagged } from '../fact-tags.ts';
import { findKeyPaths, findTasks, renderKeyPaths, renderSystem, renderTasks, withoutVisible } from './carried-tasks.ts';

export type Facts = {
  text: string;
  /** Paths that summary and facts together must name (S0.13, S0.17). */
  keyPaths: string[];
};

/** The mock user message as it stands in the view from a compaction on (S0.9). */
export function compactedRequest({ prompts }: Core, facts: Facts): string {
  return fill(prompts.standing, { facts: facts.text });
}

export type FactsOptions = {
  /** Which decision a person still owes. */
  openGate?: string | undefined;
  /** What the last summary cited and the new one does not. */
  earlier?: readonly string[];
  /** Entries that left the view although they stand after the cut. */
  left?: readonly string[];
  /** Entries that stand in the view as themselves, so that their words need not be carried. */
  standing?: ReadonlySet<string>;
};

export function carryFacts(
  entries: readonly Entry[],
  policy: Policy,
  { openGate, earlier = [], left = [], standing }: FactsOptions = {},
): Facts {
  const tasks = findTasks(entries);
  const done = findDone(entries);
  const sections = [
    ...renderTasks(standing === undefined ? tasks : withoutVisible(tasks, standing), policy),
    ...renderSystem(entries, policy),
    ...renderKeyPaths(tasks),
    ...(openGate === undefined ? [] : [tagged('open_gate', escapeTags(openGate))]),
    ...renderTodos(done, policy),
    ...renderSkill(entries, policy),
    ...renderDecisions(done, policy),
    ...renderLedger(done, policy),
    ...(earlier.length === 0 ? [] : [tagged('earlier_facts', earlier.join('\n'))]),
    ...(left.length === 0 ? [] : [tagged('left_out', leftLine(left, policy))]),
  ];
  return {
    text: tagged('carried_facts', sections.join('\n')),
    keyPaths: findKeyPaths(tasks).map(([, path]) => path),
  };
}

function leftLine(left: readonly string[], policy: Policy): string {
  const shown = ranges(left).map(({ from, through }) => (from === through ? `[#${from}]` : `[#${from}]-[#${through}]`));
  return `${left.length} entries, each whole by ${fill(policy.longResult.fullText, { id: '<id>' })}: ${headOf(shown.join(', '), 600)}`;
}

/** Ids that follow each other directly, as one. */
export function ranges(ids: readonly string[]): { from: string; through: string }[] {
  const found: { from: string; through: string }[] = [];
  for (const id of [...ids].sort((one, other) => numberOf(one) - numberOf(other))) {
    const last = found.at(-1);
    if (last !== undefined && numberOf(id) - numberOf(last.through) <= 1) last.through = id;
    else found.push({ from: id, through: id });
  }
  return found;
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}
