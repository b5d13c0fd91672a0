import { describe, expect, test } from 'vitest';
import { checkerInput } from '../../../src/evaluation/judge/check-trace.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { call, response, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { evaluateLamps } from '../evaluate-lamps.ts';
import { turnOn } from '../lamps.ts';

/** Passes, and tells the events that it was shown. */
const TELLING = `
export const checker = { id: 'as-asked', description: 'Tells.', rules: ['R1'] };
export function check({ trace }) {
  const evidence = trace.events.map(({ type, step, text, tool }) => type + ' ' + step + ' ' + (text ?? tool));
  return { pass: true, reason: String(trace.calls.length) + String(trace.says.length), evidence };
}
`;

describe('what a checker sees of the order of things', () => {
  test('what the user said, what the subject said and what it called, as it happened', async () => {
    const asking = [
      { type: 'text', text: 'I look.' } as const,
      { type: 'tool_use', id: 'toolu_1', name: 'read_lamp', input: { id: 'hall' } } as const,
    ];
    const answers = [
      say('In which room?'),
      response(asking, 'tool_use'),
      call('switch_lamp', { id: 'hall', on: true }),
      say('The hall lamp is on.'),
    ];
    const { results } = await evaluateLamps({
      files: { 'checkers/as-asked.mjs': TELLING, 'samples/locked-lamp.json': undefined },
      modelFor: () => scriptedModel(answers),
    });
    expect(results.samples[0]?.trials[0]?.verdicts[1]?.evidence).toEqual([
      'user 0 It is dark here.',
      'says 1 In which room?',
      'user 1 It is the hall.',
      'says 2 I look.',
      'call 2 read_lamp',
      'call 3 switch_lamp',
      'says 4 The hall lamp is on.',
    ]);
    expect(results.samples[0]?.trials[0]?.verdicts[1]?.reason).toBe('23');
  });

  test('of a path that was only listed: first the user, then the calls, the words last; neither effects nor kinds of failure', () => {
    const one = { step: 1, tool: 't', input: {}, output: 'no', is_error: true, change: [], error: 'threw' as const };
    const played = { before: {}, after: {}, calls: [one], says: ['done'], stop: 'done' as const };
    const { trace, final } = checkerInput(Sample.parse(turnOn), played);
    const shown = { step: 1, tool: 't', input: {}, output: 'no', is_error: true };
    expect(trace).toEqual({
      calls: [shown],
      says: ['done'],
      events: [
        { type: 'user', step: 0, text: 'It is dark here.' },
        { type: 'call', ...shown },
        { type: 'says', step: 2, text: 'done' },
      ],
    });
    expect(final).toBe('done');
  });
});
