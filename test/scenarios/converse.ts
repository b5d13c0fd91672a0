/** Plays the subject's script against real components with the scripted user, and says how each sample ends. */
import type { Script, ScriptTurn } from '../../src/adapters/simulated/scripts/script.ts';
import { choosingUser } from '../../src/evaluation/chooser/choosing-user.ts';
import type { Sample } from '../../src/scenario/sample.ts';
import { callTool, type Components, errorsIn, judge, type Judgement, type Path, startWorld } from './prove.ts';
import { turnFor } from './script-tree.ts';

export type Ending = { sample: string; stop: 'done' | 'steps'; threw: string[]; failed: Judgement[]; asked: number };

const MAX_STEPS = 12;

export function evaluate(components: Components, subject: Script, systemPrompt: string): Promise<Ending[]> {
  return Promise.all(
    components.samples.map(async (sample) => {
      const turn = turnFor(subject, sample.user.says_first, systemPrompt);
      const { path, stop, asked } = await converse(components, sample, turn);
      const failed = judge(components, sample, path).filter(({ pass }) => !pass);
      return { sample: sample.id, stop, threw: path.threw, failed, asked };
    }),
  );
}

/** Without failed verdicts and at its own end. */
export function passed({ failed, stop }: Ending): boolean {
  return failed.length === 0 && stop === 'done';
}

async function converse(
  components: Components,
  sample: Sample,
  turn: ScriptTurn,
): Promise<{ path: Path; stop: Ending['stop']; asked: number }> {
  const before = startWorld(sample, components);
  const path: Path = { calls: [], before, after: structuredClone(before), says: [], threw: [] };
  const user = choosingUser(sample);
  const act = async () => ({ output: null, is_error: false });
  const { signal } = new AbortController();
  let asked = 0;
  for (const [index, step] of turn.steps.entries()) {
    if (index === (sample.limits.steps ?? MAX_STEPS)) return { path, stop: 'steps', asked };
    if (step.say !== undefined) path.says.push(step.say);
    for (const call of step.calls) path.calls.push(callTool(components, path.after, index + 1, call.tool, call.input));
    path.threw = errorsIn(path.calls);
    const isLast = index === turn.steps.length - 1;
    if (step.calls.length > 0) continue;
    const { says } = await user.answer({ said: step.say ?? '', act, leftMs: Infinity }, signal);
    if (says === undefined && !isLast) throw new Error(`${sample.id}: the conversation ends before the script does`);
    if (says !== undefined && isLast) throw new Error(`${sample.id}: the user answers, the script does not`);
    if (says !== undefined) asked += 1;
  }
  return { path, stop: 'done', asked };
}
