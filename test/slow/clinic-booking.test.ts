/** The Python scenario as its user meets it: one command, a real process, Python components in the sandbox, a user who acts. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Results } from '../../src/scenario/result.ts';
import { lastJson, makeProject, tandem, type Finished } from '../support/cli.ts';

let project: string;
let finished: Finished;
let result: Record<string, unknown>;
let iterations: Results[];

const read = (path: string): Promise<string> => readFile(join(String(result['folder']), path), 'utf8');
const failedIn = (iteration: number): Record<string, number | undefined> =>
  Object.fromEntries(
    (iterations[iteration - 1]?.samples ?? [])
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ id, layer }) => [id, layer]),
  );

beforeAll(async () => {
  project = await makeProject('clinic-booking');
  finished = await tandem(project, ['run', 'clinic-booking', '--profile', 'demo', '--json']);
  result = lastJson(finished);
  iterations = await Promise.all(
    [1, 2, 3].map(async (n) => Results.parse(JSON.parse(await read(`execution_outputs/iteration_${n}/results.json`)))),
  );
}, 480_000);
afterAll(() => rm(project, { recursive: true, force: true }));

describe('tandem run clinic-booking --profile demo', () => {
  test('succeeds after one return to Init, with both agents compacted (S0.23, S0.24, S0.25)', () => {
    expect(finished.code).toBe(0);
    expect(result).toMatchObject({ status: 'succeeded', rounds: 2, iterations: 3, simulated: true, target: 0.9 });
    const compactions = result['compactions'] as { init: number; execute: number };
    expect(compactions.init).toBeGreaterThanOrEqual(1);
    expect(compactions.execute).toBeGreaterThanOrEqual(1);
  });

  test('passes 20, 25 and 28 of 30 samples, and says from which layer each failure comes', () => {
    expect(iterations.map(({ passed, total, unscored }) => [passed, total, unscored])).toEqual([
      [20, 30, 0],
      [25, 30, 0],
      [28, 30, 0],
    ]);
    // Of layer 4, how many are the sample's and how many the subject's has a test of its own.
    expect(iterations.map(({ layers }) => [layers['1'], layers['2'], layers['3'], layers['4']])).toEqual([
      [0, 2, 2, 6],
      [3, 0, 0, 2],
      [0, 0, 0, 2],
    ]);
    expect(failedIn(1)).toMatchObject({
      'cancelled-exactly-a-day-before': 2,
      'cancelled-slot-goes-to-the-list': 2,
      'referral-uploaded-in-app': 3,
      'referral-uploaded-too-old': 3,
    });
    expect(failedIn(3)).toEqual({ 'mother-of-a-sixteen-year-old': 4, 'says-accepted-and-was-not': 4 });
  });

  test('proves every sample before each evaluation, and the contradiction without a model', () => {
    for (const { verification } of iterations) {
      expect(verification.ok).toBe(true);
      for (const { sample, ...proof } of verification.proofs) {
        expect(proof, sample).toEqual({ gold: true, nothing: true, wrong: true, mutants: true });
      }
    }
    expect(finished.stderr).toContain('it changes /waiting_list/0/patient');
    expect(finished.stderr).toMatch(/no known end of rash-and-a-freed-slot satisfies both/);
  });

  test('names the line of the Python file that raised', () => {
    const [first] = iterations;
    const whys = (id: string): string => first?.samples.find((sample) => sample.id === id)?.why[0] ?? '';
    expect(whys('cancelled-exactly-a-day-before')).toMatch(
      /KeyError: 'fee_cents' \(tools\/cancel_appointment\.py:\d+\)/,
    );
    expect(whys('referral-uploaded-in-app')).toMatch(/IndexError: .* \(checkers\/referral-on-file\.py:\d+\)/);
  });

  test('lets the user act in six samples, with tools that the subject never calls (dual control)', async () => {
    const folder = 'execution_outputs/iteration_3/traces';
    const names = (await readdir(join(String(result['folder']), folder))).filter((name) => name.endsWith('.jsonl'));
    const calls = (await Promise.all(names.map((name) => read(`${folder}/${name}`))))
      .flatMap((text) => text.trim().split('\n'))
      .map((line) => JSON.parse(line) as { type: string; tool?: string; by?: string })
      .filter(({ type }) => type === 'call');
    expect(names).toHaveLength(30);
    expect(calls.filter(({ by }) => by === 'user')).toHaveLength(6);
    for (const { tool, by } of calls) expect(tool?.startsWith('app_'), tool).toBe(by === 'user');
  });

  test('sends the contradiction back with the rules and samples that show it', async () => {
    const { problems } = JSON.parse(await read('execution_outputs/iteration_2/layer1_problems.json')) as {
      problems: { rules: string[]; samples: string[] }[];
    };
    expect(problems).toHaveLength(1);
    expect(problems[0]?.rules).toEqual(['R8', 'R9']);
    expect(problems[0]?.samples).toHaveLength(3);
  });
});
