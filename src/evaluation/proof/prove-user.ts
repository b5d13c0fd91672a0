/** Checks that the user of a sample would say what gold says for it; else gold's own conversation can never take place. */
import { createProblemFactory } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { UserKind } from '../../scenario/subject.ts';
import type { LoadedSample } from '../components/components.ts';
import { saysNo, saysYes } from '../scripted-user/sentences.ts';
import { choosingUser } from '../chooser/choosing-user.ts';

/** `usual` plays the users of samples that name no simulator of their own. */
export async function proveUsers(
  samples: readonly LoadedSample[],
  usual: UserKind,
  signal: AbortSignal,
): Promise<Problem[]> {
  const found = await Promise.all(
    samples.map(async ({ sample }) => {
      const kind = sample.user.simulator ?? usual;
      return kind === 'scripted' || kind === 'auto' ? findUnlikeGold(sample, signal) : undefined;
    }),
  );
  return found.flatMap((problem) => problem ?? []);
}

/** A user whose moves are chosen may be silent here: a model reads more than the rules that are asked now. */
async function findUnlikeGold(sample: Sample, signal: AbortSignal): Promise<Problem | undefined> {
  const user = choosingUser(sample);
  const act = () => Promise.resolve({ output: null, is_error: false });
  const steps = sample.gold.filter((step) => 'says' in step || 'user' in step);
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1];
    if (!('says' in step) || next === undefined || !('user' in next)) continue;
    const { says } = await user.answer({ said: step.says, act, leftMs: Infinity }, signal);
    if (says === undefined || !isOpposite(says, next.user)) continue;
    return createProblemFactory(sample.id)(
      'user-unlike-gold',
      `gold asks "${step.says}" and its user answers "${next.user}", but the user says "${says}": ` +
        'give user.knows a key with words of the question, or an act whose "when" stands in what any subject must say there',
    );
  }
  return undefined;
}

function isOpposite(one: string, other: string): boolean {
  return (saysYes(one) && saysNo(other)) || (saysNo(one) && saysYes(other));
}
