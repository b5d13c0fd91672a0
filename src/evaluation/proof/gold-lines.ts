/** The gold path of a sample as a recorded trace: a subject without a model, to check a scenario as a whole. */
import type { Sample } from '../../scenario/sample.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { NO_USAGE } from '../../transcript/message.ts';

/** The subject asks in words for `userTools`, and the user calls them. */
export function goldLines({ id, user, gold, gold_says: says }: Sample, userTools: ReadonlySet<string>): TraceLine[] {
  const calls = gold.flatMap(({ tool, args }, index): TraceLine[] => {
    const step = index + 1;
    const made = { step, tool, input: args, output: null, is_error: false, change: [] };
    const call = { type: 'call', ...made } satisfies TraceLine;
    if (!userTools.has(tool)) return [call];
    return [
      { type: 'says', step, text: `Please do this: ${tool}` },
      { ...call, by: 'user' },
      { type: 'user', step, text: 'I did that.' },
    ];
  });
  const last = gold.length + 1;
  return [
    { type: 'start', version: 1, sample: id, trial: 1, model: 'gold', inputs: '' },
    { type: 'user', step: 0, text: user.says_first },
    ...calls,
    { type: 'says', step: last, text: says },
    { type: 'end', stop: 'done', final: says, calls: gold.length, usage: NO_USAGE, costUsd: 0, durationMs: 0 },
  ];
}
