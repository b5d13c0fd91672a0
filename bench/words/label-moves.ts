/** Puts labelled messages to the chooser that is a model: what a script answers as labelled, code must let through. */
import { modelChooser, type ChooserModel } from '../../src/evaluation/chooser/choose-by-model.ts';
import { choosingUser } from '../../src/evaluation/chooser/choosing-user.ts';
import { saysNo } from '../../src/evaluation/scripted-user/sentences.ts';
import type { Sample } from '../../src/scenario/sample.ts';
import type { ChosenMove } from '../../src/scenario/trace.ts';
import { formatLabel, readSample, sortLabel, type Row } from './score-messages.ts';

/** The moves that a label means; the whole message is quoted. */
export function toMoves(label: string, { user }: Sample, said: string): ChosenMove[] {
  const [kind = '', names] = [label.split(':')[0], label.slice(label.indexOf(':') + 1)];
  const decision = Object.entries(user.knows).find(
    ([key]) => /agree|einverstanden|同意|acepta/.test(key) && !key.startsWith('does'),
  );
  if (kind === 'tell' || kind === 'unknown')
    return (kind === 'tell' ? names.split(',') : [names]).map((name) => ({ move: `${kind}:${name}`, quote: said }));
  if (kind !== 'yes' && kind !== 'no') return [{ move: kind, quote: kind === 'again' ? said : '' }];
  if (decision !== undefined && saysNo(decision[1]) === (kind === 'no'))
    return [{ move: `decide:${decision[0]}`, quote: said }];
  return [{ move: kind === 'yes' ? 'agree' : 'refuse', quote: said }];
}

export type Choice = { row: Row; got: string; isRight: boolean };

/** Asks the model about one message of a talk that has only begun; an earlier yes or act is told to it as it would be. */
export async function chooseLabelled(row: Row, settings: ChooserModel, signal: AbortSignal): Promise<Choice> {
  const sample = readSample(row.language, row.sample);
  const chooser = modelChooser(settings, sample);
  const user = choosingUser(sample, chooser);
  const hasActed = row.state === 'acted' || row.state === 'done';
  const act = () => Promise.resolve({ output: null, is_error: false });
  const { chosen } = await user.answer({ said: row.said, act, leftMs: 60_000, hasActed }, signal);
  const got = sortLabel(formatLabel(chosen?.moves ?? [], sample));
  return { row, got, isRight: row.wanted.map(sortLabel).includes(got) };
}
