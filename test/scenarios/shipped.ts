/** A shipped scenario as tests use it: its scripts, the messages that open its turns, and its whole run in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Brief } from '../../src/scenario/brief.ts';
import { listRuleLines, longOutcome, type CaseRule } from '../../src/scenario/cases/cases.ts';
import { isReading } from '../../src/scenario/cases/readings.ts';
import { BusinessRules, FormatSpec } from '../../src/scenario/design.ts';
import { copyFolder, openSimulation, playTurn, scriptOf, sourcesOf, turnFor, type Tree } from './script-tree.ts';

export type Shipped = ReturnType<typeof openShipped>;

export function openShipped(name: string) {
  const dir = join(import.meta.dirname, '../../scenarios', name);
  const simulation = openSimulation(join(dir, 'simulation'));
  return {
    dir,
    brief: Brief.parse(parse(readFileSync(join(dir, 'scenario.yaml'), 'utf8'))),
    simulation,
    init: scriptOf(simulation, 'init'),
    execute: scriptOf(simulation, 'execute'),
    subject: scriptOf(simulation, 'subject'),
    messages: messagesOf(name),
  };
}

/** How the harness opens each turn, as far as a script may look. */
function messagesOf(scenario: string) {
  return {
    brief: `<scenario_brief round="1" scenario="${scenario}"`,
    first: (round: number) => `<init_to_execute_context round="${round}" iteration="1" execution_output_dir=`,
    second: (round: number) =>
      `<iteration_context round="${round}" iteration="2" execution_output_dir="${outputDir(2)}"`,
    returned: (round: number) => `<execute_to_init_context round="${round}" iteration="2" execution_output_dir=`,
    third: (round: number) => `<init_to_execute_context round="${round}" iteration="3" execution_output_dir=`,
    requested: (round: number) => `<reviewer_to_init_context round="${round}" design_dir=`,
  };
}

export type Played = {
  tree: Tree;
  /** The tree as it stood at each hand-in, refused ones too. */
  handedIn: { tree: Tree; iteration: number }[];
  /** What was sent back to Init. */
  returned: unknown[];
};

/** The whole run; a first round above 1 means that a reviewer asked for changes before the first approval. */
export function playRun(scenario: Shipped, firstRound: number): Played {
  const { brief, dir, execute, init, messages, simulation } = scenario;
  const tree = sourcesOf(dir, brief.reads);
  const handedIn: Played['handedIn'] = [];
  const returned: unknown[] = [];
  const build = (message: string, iteration: number): void =>
    playTurn(simulation, turnFor(execute, message), tree, (tool, input) => {
      if (tool === 'submit_iteration') handedIn.push({ tree: new Map(tree), iteration });
      else returned.push(input['problems']);
    });
  playTurn(simulation, turnFor(init, messages.brief), tree);
  requestChanges(scenario, tree, 2, firstRound);
  build(messages.first(firstRound), 1);
  copyIteration(tree, 1);
  build(messages.second(firstRound), 2);
  const lastRound = firstRound + 1;
  copyFolder(tree, designAt(firstRound), designAt(lastRound));
  playTurn(simulation, turnFor(init, messages.returned(lastRound)), tree);
  copyIteration(tree, 2);
  build(messages.third(lastRound), 3);
  return { tree, handedIn, returned };
}

/** Rounds in each of which a reviewer did not approve the last design. */
export function requestChanges({ init, messages, simulation }: Shipped, tree: Tree, from: number, to: number): void {
  for (let round = from; round <= to; round += 1) {
    copyFolder(tree, designAt(round - 1), designAt(round));
    playTurn(simulation, turnFor(init, messages.requested(round)), tree);
  }
}

/** What the next iteration starts with. */
export function copyIteration(tree: Tree, from: number): void {
  copyFolder(tree, outputDir(from), outputDir(from + 1), ['tools', 'checkers', 'samples']);
}

export const outputDir = (iteration: number): string => `execution_outputs/iteration_${iteration}`;
const designAt = (round: number): string => `design/r${round}`;

export function formatOf(tree: Tree, round: number): FormatSpec {
  return FormatSpec.parse(parse(textAt(tree, `${designAt(round)}/format_spec.yaml`)));
}

export function rulesOf(tree: Tree, round: number): BusinessRules {
  return BusinessRules.parse(parse(textAt(tree, `${designAt(round)}/business_rules.yaml`)));
}

function textAt(tree: Tree, path: string): string {
  const text = tree.get(path);
  if (text === undefined) throw new Error(`${path} was never written`);
  return text;
}

/** The rules of which the table does not read every demand, so that a checker judges the rest. */
export function listUnread(rules: readonly CaseRule[], { cases }: FormatSpec): string[] {
  const isRead = (name: string): boolean => isReading(longOutcome(cases?.outcomes[name] ?? []).from);
  const unread = rules.filter((rule) => listRuleLines(rule).some(({ demands }) => !Object.keys(demands).every(isRead)));
  return unread.map(({ id }) => id);
}
