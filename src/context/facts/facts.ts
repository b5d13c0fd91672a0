/** The facts that code carries over a compaction word for word, from the whole transcript (S0.20). */
import { headOf } from '../../transcript/cut-text.ts';
import { fill } from '../../transcript/fill-template.ts';
import type { Entry } from '../../transcript/entry.ts';
import { activeSkill, renderSkill, type ActiveSkill } from './active-skill.ts';
import type { Core } from '../core.ts';
import { findDone, renderDecisions, renderLedger, renderTodos, type Done } from './ledger.ts';
import type { Policy } from '../policy.ts';
import { escapeTags, tagged } from '../fact-tags.ts';
import {
  findKeyPaths,
  findSystemMessages,
  findTasks,
  renderKeyPaths,
  renderSystem,
  renderTasks,
  withoutVisible,
} from './carried-tasks.ts';
import type { TaskMessage, Tasks } from './carried-tasks.ts';

export type Facts = {
  text: string;
  /** Paths that the summary or the facts must name (S0.13, S0.17). */
  keyPaths: string[];
};

/** The facts of the whole transcript, before any cap and any choice of what to carry. */
export type FactSources = {
  tasks: Tasks;
  /** The ledger: every call that was answered without an error. */
  done: readonly Done[];
  system: readonly TaskMessage[];
  skill: ActiveSkill | undefined;
};

export function findFacts(entries: readonly Entry[]): FactSources {
  return {
    tasks: findTasks(entries),
    done: findDone(entries),
    system: findSystemMessages(entries),
    skill: activeSkill(entries),
  };
}

/** The mock user message that opens the view after a compaction (S0.9). */
export function compactedRequest({ prompts }: Core, facts: Facts): string {
  return fill(prompts.standing, { facts: facts.text });
}

export type FactsOptions = {
  /** The decision that a person still has to make. */
  openGate?: string | undefined;
  /** Facts that the last summary cited and the new one does not. */
  earlier?: readonly string[];
  /** Entries after the cut that left the view. */
  left?: readonly string[];
  /** Entries in the view, whose text need not be carried. */
  visible?: ReadonlySet<string>;
};

export function carryFacts(
  { tasks, done, system, skill }: FactSources,
  policy: Policy,
  { openGate, earlier = [], left = [], visible }: FactsOptions = {},
): Facts {
  const sections = [
    ...renderTasks(visible === undefined ? tasks : withoutVisible(tasks, visible), policy),
    ...renderSystem(system, policy),
    ...renderKeyPaths(tasks),
    ...(openGate === undefined ? [] : [tagged('open_gate', escapeTags(openGate))]),
    ...renderTodos(done, policy),
    ...renderSkill(skill, policy),
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

/** Ids that follow each other directly, as one range. */
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
