import { expect, test } from 'vitest';
import { goldLines } from '../../../src/evaluation/proof/gold-lines.ts';
import { recordedParticipants } from '../../../src/evaluation/trial/recorded-participants.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { TraceLine } from '../../../src/scenario/trace.ts';
import { turnOn } from '../lamps.ts';

const { signal } = new AbortController();

test('a gold path is played as a recording is: calls, what the user has to do in words, and its last words', async () => {
  const sample = Sample.parse(turnOn);
  const lines = goldLines(sample, new Set(['switch_lamp']));
  for (const line of lines) expect(TraceLine.safeParse(line).success).toBe(true);
  const { conversation, user } = recordedParticipants(lines);
  const next = () => conversation.next(undefined, 1000, signal);
  expect((await next()).calls).toMatchObject([{ tool: 'read_lamp', args: { id: 'hall' } }]);
  expect(await next()).toMatchObject({ says: 'Please do this: switch_lamp', calls: [] });
  const acts: unknown[] = [];
  const act = async (call: unknown) => {
    acts.push(call);
    return { output: null, is_error: false };
  };
  expect(await user.answer({ said: '', act, leftMs: 1000 }, signal)).toMatchObject({ says: 'I did that.' });
  expect(acts).toEqual([{ tool: 'switch_lamp', args: { id: 'hall', on: true } }]);
  expect(await next()).toMatchObject({ says: 'The hall lamp is on.', calls: [] });
  expect((await user.answer({ said: '', act, leftMs: 1000 }, signal)).says).toBeUndefined();
});
