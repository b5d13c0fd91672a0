/** The Python scenario as tests use it: its scripts, the messages that open its turns, and its whole run in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { scriptedUser } from '../../src/evaluation/simulated-user.ts';
import { Brief } from '../../src/scenario/brief.ts';
import { BusinessRules, FormatSpec } from '../../src/scenario/design.ts';
import type { Sample } from '../../src/scenario/sample.ts';
import { userToolsOf } from '../../src/scenario/tool-hands.ts';
import { judgeAll, loadPython, type Judged, type Play, type PythonComponents } from './prove-python.ts';
import { copyFolder, openSimulation, playTurn, scriptOf, sourcesOf, turnFor, type Tree } from './script-tree.ts';

const SCENARIO = join(import.meta.dirname, '../../scenarios/clinic-booking');
export const brief = Brief.parse(parse(readFileSync(join(SCENARIO, 'scenario.yaml'), 'utf8')));
export const simulation = openSimulation(join(SCENARIO, 'simulation'));
export const init = scriptOf(simulation, 'init');
export const execute = scriptOf(simulation, 'execute');
export const subject = scriptOf(simulation, 'subject');

export const outputDir = (iteration: number): string => `execution_outputs/iteration_${iteration}`;

/** How the harness opens each turn, as far as a script may look. */
export const messages = {
  brief: '<scenario_brief round="1" scenario="clinic-booking"',
  first: (round: number) => `<init_to_execute_context round="${round}" iteration="1" execution_output_dir=`,
  second: (round: number) =>
    `<iteration_context round="${round}" iteration="2" execution_output_dir="execution_outputs/iteration_2"`,
  returned: (round: number) => `<execute_to_init_context round="${round}" iteration="2" execution_output_dir=`,
  third: (round: number) => `<init_to_execute_context round="${round}" iteration="3" execution_output_dir=`,
  requested: (round: number) => `<reviewer_to_init_context round="${round}" design_dir=`,
};

export type Ending = { sample: string; stop: string; failed: Judged['verdicts']; threw: string[]; acted: number };

/** Which hand-in is which. */
export const HAND_INS = { refused: 0, first: 1, probe: 2, second: 3, third: 4 };

export type Story = {
  tree: Tree;
  /** The components as they stood at each hand-in, in the order of HAND_INS. */
  handedIn: PythonComponents[];
  /** What was sent back to Init. */
  returned: unknown[];
};

/** The whole run; a first round above 1 means that a reviewer asked for changes before the first approval. */
export function playStory(firstRound: number): Story {
  const tree = sourcesOf(SCENARIO, brief.reads);
  const states: { tree: Tree; iteration: number }[] = [];
  const returned: unknown[] = [];
  const build = (message: string, iteration: number): void =>
    playTurn(simulation, turnFor(execute, message), tree, (tool, input) => {
      if (tool === 'submit_iteration') states.push({ tree: new Map(tree), iteration });
      else returned.push(input['problems']);
    });
  const copyIteration = (from: number): void =>
    copyFolder(tree, outputDir(from), outputDir(from + 1), ['tools', 'checkers', 'samples']);
  playTurn(simulation, turnFor(init, messages.brief), tree);
  requestChanges(tree, 2, firstRound);
  build(messages.first(firstRound), 1);
  copyIteration(1);
  build(messages.second(firstRound), 2);
  const lastRound = firstRound + 1;
  copyFolder(tree, `design/r${firstRound}`, `design/r${lastRound}`);
  playTurn(simulation, turnFor(init, messages.returned(lastRound)), tree);
  copyIteration(2);
  build(messages.third(lastRound), 3);

  const ofUser = userToolsOf(formatOf(tree, firstRound));
  const handedIn = states.map((state) => loadPython(state.tree, outputDir(state.iteration), ofUser));
  return { tree, handedIn, returned };
}

/** How the samples end in i1, i2 and i3 when the first approval falls in round 1. */
export function endingsOf(story: Story): Promise<Ending[][]> {
  const scored = [
    ['first', 1],
    ['second', 1],
    ['third', 2],
  ] as const;
  return Promise.all(
    scored.map(([handIn, round]) => evaluate(componentsOf(story, handIn), formatOf(story.tree, round).subject_prompt)),
  );
}

/** Rounds in each of which a reviewer did not approve the last design. */
function requestChanges(tree: Tree, from: number, to: number): void {
  for (let round = from; round <= to; round += 1) {
    copyFolder(tree, `design/r${round - 1}`, `design/r${round}`);
    playTurn(simulation, turnFor(init, messages.requested(round)), tree);
  }
}

/** Plays the subject's script against the components with the scripted user, who may act. */
async function evaluate(components: PythonComponents, prompt: string): Promise<Ending[]> {
  const plays = await Promise.all(components.samples.map((sample) => talk(sample, prompt)));
  return judgeAll(components, plays).map(({ calls, verdicts }, index) => ({
    sample: plays[index]?.sample.id ?? '',
    stop: plays[index]?.stop ?? 'done',
    failed: verdicts.filter(({ pass }) => !pass),
    threw: calls.flatMap(({ tool, output, is_error: isError }) => (isError ? [`${tool}: ${String(output)}`] : [])),
    acted: calls.filter(({ by }) => by === 'user').length,
  }));
}

/** The script's calls do not depend on answers, so the conversation can be written down before anything is run. */
async function talk(sample: Sample, prompt: string): Promise<Play> {
  const { steps } = turnFor(subject, sample.user.says_first, prompt);
  const user = scriptedUser(sample);
  const play: Play = { sample, calls: [], says: [], stop: 'done' };
  for (const [index, { say, calls }] of steps.entries()) {
    const step = index + 1;
    if (step > (sample.limits.steps ?? brief.subject.max_steps)) return { ...play, stop: 'steps' };
    if (say !== undefined) play.says.push(say);
    play.calls.push(...calls.map(({ tool, input }) => ({ step, tool, args: input })));
    if (calls.length > 0) continue;
    const act = async ({ tool, args }: Sample['gold'][number]) => {
      play.calls.push({ step, tool, args, by: 'user' });
      return { output: undefined, is_error: false };
    };
    const { says } = await user.answer(say ?? '', act, Infinity, new AbortController().signal);
    const isLast = step === steps.length;
    if (says !== undefined && isLast) throw new Error(`${sample.id}: the user answers, the script does not`);
    if (says === undefined) return play;
  }
  return play;
}

export function componentsOf({ handedIn }: Story, handIn: keyof typeof HAND_INS): PythonComponents {
  const components = handedIn[HAND_INS[handIn]];
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
