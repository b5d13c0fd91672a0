/** The Python scenario as tests use it: the components at each hand-in, and how their samples end. */
import { choosingUser } from '../../src/evaluation/chooser/choosing-user.ts';
import type { SampleCall, Sample } from '../../src/scenario/sample.ts';
import { listUserTools } from '../../src/scenario/design.ts';
import { judgeAll, loadPython, type Judged, type Play, type PythonComponents } from './prove-python.ts';
import { turnFor } from './script-tree.ts';
import { formatOf, openShipped, outputDir, playRun, type Played } from './shipped.ts';

export const clinic = openShipped('clinic-booking');

export type Ending = { sample: string; stop: string; failed: Judged['verdicts']; threw: string[]; acted: number };

/** Which hand-in is which. */
export const HAND_INS = { refused: 0, first: 1, probe: 2, second: 3, third: 4 };

export type Story = Pick<Played, 'tree' | 'returned'> & {
  /** The components as they stood at each hand-in, in the order of HAND_INS. */
  handedIn: PythonComponents[];
};

export function playStory(firstRound: number): Story {
  const { tree, handedIn: states, returned } = playRun(clinic, firstRound);
  const ofUser = listUserTools(formatOf(tree, firstRound));
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
  const { steps } = turnFor(clinic.subject, sample.user.says_first, prompt);
  const user = choosingUser(sample);
  const play: Play = { sample, calls: [], says: [], stop: 'done' };
  for (const [index, { say, calls }] of steps.entries()) {
    const step = index + 1;
    if (step > (sample.limits.steps ?? clinic.brief.subject.max_steps)) return { ...play, stop: 'steps' };
    if (say !== undefined) play.says.push(say);
    play.calls.push(...calls.map(({ tool, input }) => ({ step, tool, args: input })));
    if (calls.length > 0) continue;
    const act = async ({ tool, args }: SampleCall) => {
      play.calls.push({ step, tool, args, by: 'user' });
      return { output: undefined, is_error: false };
    };
    const { says } = await user.answer({ said: say ?? '', act, leftMs: Infinity }, new AbortController().signal);
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
