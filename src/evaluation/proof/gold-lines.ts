/** The gold path of a sample as a recorded trace: a subject without a model, to check a scenario as a whole. */
import { listCalls, type Sample } from '../../scenario/sample.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { NO_USAGE } from '../../transcript/message.ts';

/** Adds words that gold leaves out: the subject asks for `userTools`, and the user calls them. */
export function goldLines({ id, user, gold, gold_says: says }: Sample, userTools: ReadonlySet<string>): TraceLine[] {
  const lines: TraceLine[] = [
    { type: 'start', version: 1, sample: id, trial: 1, model: 'gold', inputs: '' },
    { type: 'user', step: 0, text: user.says_first },
  ];
  let step = 0;
  for (const [index, one] of gold.entries()) {
    if ('says' in one) lines.push({ type: 'says', step: (step += 1), text: one.says });
    else if ('user' in one) lines.push({ type: 'user', step, text: one.user });
    else {
      const made = { tool: one.tool, input: one.args, output: null, is_error: false, change: [] };
      if (!userTools.has(one.tool)) lines.push({ type: 'call', step: (step += 1), ...made });
      else {
        const [before, after] = [gold[index - 1], gold[index + 1]];
        if (before === undefined || !('says' in before)) {
          lines.push({ type: 'says', step: (step += 1), text: `Please do this: ${one.tool}` });
        }
        lines.push({ type: 'call', step, ...made, by: 'user' });
        if (after === undefined || !('user' in after)) lines.push({ type: 'user', step, text: 'I did that.' });
      }
    }
  }
  const calls = listCalls(gold).length;
  return [
    ...lines,
    { type: 'says', step: step + 1, text: says },
    { type: 'end', stop: 'done', final: says, calls, usage: NO_USAGE, costUsd: 0, durationMs: 0 },
  ];
}
