/** The shipped scenario as tests use it: its scripts, the messages that open its turns, and its whole run in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Brief } from '../../src/scenario/brief.ts';
import { BusinessRules, FormatSpec } from '../../src/scenario/design.ts';
import { evaluate, type Ending } from './converse.ts';
import { loadComponents, type Components } from './prove.ts';
import { copyFolder, openSimulation, playTurn, scriptOf, sourcesOf, turnFor, type Tree } from './script-tree.ts';

const SCENARIO = join(import.meta.dirname, '../../scenarios/refund-desk');
export const brief = Brief.parse(parse(readFileSync(join(SCENARIO, 'scenario.yaml'), 'utf8')));
export const simulation = openSimulation(join(SCENARIO, 'simulation'));
export const init = scriptOf(simulation, 'init');
export const execute = scriptOf(simulation, 'execute');
export const subject = scriptOf(simulation, 'subject');

export const outputDir = (iteration: number): string => `execution_outputs/iteration_${iteration}`;
export const COPIED = ['tools', 'checkers', 'samples'];

/** How the harness opens each turn, as far as a script may look. */
export const messages = {
  brief: '<scenario_brief round="1" scenario="refund-desk"',
  first: (round: number) => `<init_to_execute_context round="${round}" iteration="1" execution_output_dir=`,
  second: (round: number) => `<iteration_context round="${round}" iteration="2" execution_output_dir=`,
  returned: (round: number) => `<execute_to_init_context round="${round}" iteration="2" execution_output_dir=`,
  third: (round: number) => `<init_to_execute_context round="${round}" iteration="3" execution_output_dir=`,
  requested: (round: number) => `<reviewer_to_init_context round="${round}" design_dir=`,
};

export type Story = {
  tree: Tree;
  /** The components as they stood at each hand-in: the refused one, i1, i2, i3. */
  handedIn: Components[];
  /** How the samples end in i1, i2 and i3. */
  endings: Ending[][];
};

/** The whole run; a first round above 1 means that a reviewer asked for changes before the first approval. */
export async function playStory(firstRound: number): Promise<Story> {
  const tree = sourcesOf(SCENARIO, brief.reads);
  const states: Tree[] = [];
  const keep = (tool: string): void => void (tool === 'submit_iteration' && states.push(new Map(tree)));
  playTurn(simulation, turnFor(init, messages.brief), tree);
  requestChanges(tree, 2, firstRound);
  playTurn(simulation, turnFor(execute, messages.first(firstRound)), tree, keep);
  copyFolder(tree, outputDir(1), outputDir(2), COPIED);
  playTurn(simulation, turnFor(execute, messages.second(firstRound)), tree, keep);
  const lastRound = firstRound + 1;
  copyFolder(tree, `design/r${firstRound}`, `design/r${lastRound}`);
  playTurn(simulation, turnFor(init, messages.returned(lastRound)), tree);
  copyFolder(tree, outputDir(2), outputDir(3), COPIED);
  playTurn(simulation, turnFor(execute, messages.third(lastRound)), tree, keep);
  const handedIn = await Promise.all(
    states.map((state, index) => loadComponents(state, outputDir(Math.max(1, index)))),
  );
  const prompts = [firstRound, firstRound, lastRound].map((round) => formatOf(tree, round).subject_prompt);
  const endings = handedIn.slice(1).map((components, index) => evaluate(components, subject, prompts[index] ?? ''));
  return { tree, handedIn, endings };
}

/** Rounds in each of which a reviewer did not approve the last design. */
export function requestChanges(tree: Tree, from: number, to: number): void {
  for (let round = from; round <= to; round += 1) {
    copyFolder(tree, `design/r${round - 1}`, `design/r${round}`);
    playTurn(simulation, turnFor(init, messages.requested(round)), tree);
  }
}

/** Hand-in 0 is the one that verification refuses; 1 to 3 are the iterations. */
export function componentsOf(story: Story, handIn: number): Components {
  const components = story.handedIn[handIn];
  if (components === undefined) throw new Error(`there is no hand-in ${handIn}`);
  return components;
}

export function formatOf(tree: Tree, round: number): FormatSpec {
  return FormatSpec.parse(parse(textAt(tree, `design/r${round}/format_spec.yaml`)));
}

export function rulesOf(tree: Tree, round: number): BusinessRules {
  return BusinessRules.parse(parse(textAt(tree, `design/r${round}/business_rules.yaml`)));
}

function textAt(tree: Tree, path: string): string {
  const text = tree.get(path);
  if (text === undefined) throw new Error(`${path} was never written`);
  return text;
}
