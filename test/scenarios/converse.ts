/** Plays the subject's script against real components with the scripted user, and says how each sample ends. */
import type { Script, ScriptTurn } from '../../src/adapters/simulated/scripts/script.ts';
import type { Sample } from '../../src/scenario/sample.ts';
import { callTool, type Components, errorsIn, judge, type Judgement, type Path, startWorld } from './prove.ts';
import { turnFor } from './script-tree.ts';

export type Ending = { sample: string; stop: 'done' | 'steps'; threw: string[]; failed: Judgement[]; asked: number };

const MAX_STEPS = 12;

export function evaluate(components: Components, subject: Script, systemPrompt: string): Ending[] {
  return components.samples.map((sample) => {
    const turn = turnFor(subject, sample.user.says_first, systemPrompt);
    const { path, stop, asked } = converse(components, sample, turn);
    const failed = judge(components, sample, path).filter(({ pass }) => !pass);
    return { sample: sample.id, stop, threw: path.threw, failed, asked };
  });
}

/** Without failed verdicts and at its own end. */
export function passed({ failed, stop }: Ending): boolean {
  return failed.length === 0 && stop === 'done';
}

function converse(
  components: Components,
  sample: Sample,
  turn: ScriptTurn,
): { path: Path; stop: Ending['stop']; asked: number } {
  const before = startWorld(sample, components);
  const path: Path = { calls: [], before, after: structuredClone(before), says: [], threw: [] };
  const told = new Set<string>();
  for (const [index, step] of turn.steps.entries()) {
    if (index === (sample.limits.steps ?? MAX_STEPS)) return { path, stop: 'steps', asked: told.size };
    if (step.say !== undefined) path.says.push(step.say);
    for (const call of step.calls) path.calls.push(callTool(components, path.after, index + 1, call.tool, call.input));
    path.threw = errorsIn(path.calls);
    const answers = step.calls.length > 0 ? undefined : answersTo(step.say ?? '', sample, told);
    const isLast = index === turn.steps.length - 1;
    if (answers === 0 && !isLast) throw new Error(`${sample.id}: the conversation ends before the script does`);
    if (answers !== undefined && answers > 0 && isLast)
      throw new Error(`${sample.id}: the user answers, the script does not`);
  }
  return { path, stop: 'done', asked: told.size };
}

/** The scripted user tells each thing once, when the text names its key. */
function answersTo(text: string, sample: Sample, told: Set<string>): number {
  const keys = Object.keys(sample.user.knows).filter(
    (key) => !told.has(key) && text.toLowerCase().includes(key.toLowerCase()),
  );
  for (const key of keys) told.add(key);
  return keys.length;
}
