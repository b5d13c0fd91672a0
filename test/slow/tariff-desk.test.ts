/** The conversational scenario as its user meets it: one command, a real process, users that talk. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Results } from '../../src/scenario/result.ts';
import { lastJson, makeProject, tandem, type Finished } from '../support/cli.ts';

let project: string;
let finished: Finished;
let result: Record<string, unknown>;
let iterations: Results[];

const read = (path: string): Promise<string> => readFile(join(String(result['folder']), path), 'utf8');

beforeAll(async () => {
  project = await makeProject('tariff-desk');
  finished = await tandem(project, ['run', 'tariff-desk', '--profile', 'demo', '--json']);
  result = lastJson(finished);
  iterations = await Promise.all(
    [1, 2].map(async (n) => Results.parse(JSON.parse(await read(`execution_outputs/iteration_${n}/results.json`)))),
  );
}, 120_000);
afterAll(() => rm(project, { recursive: true, force: true }));

test('passes 7 of 8 scored and 8 of 9: one lost user is mended, and the subject’s own mistake is left', () => {
  expect(finished.code).toBe(0);
  expect(result).toMatchObject({ status: 'succeeded', rounds: 1, iterations: 2, simulated: true });
  const causes = iterations.map(({ samples }) =>
    samples.filter(({ outcome }) => outcome === 'fail').map(({ id, cause }) => `${id} ${cause}`),
  );
  expect(causes).toEqual([['do-it-at-once 4b'], ['do-it-at-once 4b']]);
  const [lost] = iterations[0]?.samples ?? [];
  expect(lost).toMatchObject({ outcome: 'unscored', trials: [{ stop: 'no_move' }] });
  expect(lost?.why[0]).toContain('its user has no move for "I am asking for the reason: why is it?"');
});

test('users say no, change their mind, and haggle', async () => {
  const said = async (sample: string): Promise<string[]> =>
    (await read(`execution_outputs/iteration_2/traces/${sample}.1.jsonl`))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; text: string })
      .flatMap(({ type, text }) => (type === 'user' ? [text] : []))
      .slice(1);
  expect(await said('roaming-declined')).toEqual([
    'My customer number is C-1001. My date of birth is 2 May 1988.',
    'No, that is too much. Leave it.',
  ]);
  expect((await said('changes-their-mind')).slice(1)).toEqual([
    'On second thoughts, Large is too much for me. I would like Medium.',
    'Yes, please go ahead.',
  ]);
  expect((await said('haggles')).at(-1)).toBe('No. I would pay 29.00 for it, and not a cent more!');
  // It was also asked when it was born, which it knows by another name.
  expect(await said('no-number-at-hand')).toEqual([
    "The customer number? I'm afraid I don't know that. What do you mean: date of birth, name?",
  ]);
});

test('Execute was told how its users work', async () => {
  const transcript = await read('transcripts/execute.jsonl').catch(() => read('transcripts/execute/main.jsonl'));
  expect(transcript).toContain('How the user of a sample works here (`user: auto`');
  // Seven of eight are more than the target, and say nothing about it while one is unscored.
  expect(transcript).toContain(
    String.raw`\"unscored\":[\"cancelled-to-the-end: 1 of 1 trials\"],\"verdict\":\"disputed\"`,
  );
  expect(transcript).toContain('nothing is met while a sample is unscored');
});
