/** The strength of an iteration's proof is measured within the limits of the configuration, and filed next to the results. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { driveToRest } from '../../../src/pipeline/drive/drive.ts';
import { readBrief } from '../../../src/pipeline/start-run.ts';
import { makeIteration } from '../../../src/pipeline/steps/make-iteration.ts';
import { readState } from '../../../src/run-folder/snapshot.ts';
import { ProofStrength } from '../../../src/scenario/proof-strength.ts';
import { Results } from '../../../src/scenario/result.ts';
import { begin, decide, live, makeProject } from '../../support/project.ts';

/** `answered` is the transcript of Execute, with the answers to its tools. */
type FirstIteration = { strength: ProofStrength | undefined; results: Results; answered: string };

/** What the first iteration filed, in a project whose `config/default.yaml` has this line. */
async function firstIteration(line: string): Promise<FirstIteration> {
  const project = await makeProject();
  await mkdir(join(project.dir, 'config'), { recursive: true });
  await writeFile(join(project.dir, 'config/default.yaml'), `version: 1\n${line}\n`);
  const app = await project.open();
  try {
    const run = await begin(project, app);
    await decide(app, await driveToRest(run.id, app.deps, live), 'approve', { run: run.id });
    await makeIteration({
      run,
      state: await readState(run),
      brief: await readBrief(run),
      deps: app.deps,
      signal: live,
    });
    const [strength, results] = await Promise.all(
      ['proof-strength.json', 'results.json'].map((file) => run.read(`execution_outputs/iteration_1/${file}`)),
    );
    return {
      strength: strength === undefined ? undefined : ProofStrength.parse(JSON.parse(strength)),
      results: Results.parse(JSON.parse(results ?? '')),
      answered: JSON.stringify(await run.transcripts.read('execute')),
    };
  } finally {
    await app.close();
    await project.remove();
  }
}

/** With the limits of a configuration that says nothing, once for the tests that only read. */
let usual: Promise<FirstIteration> | undefined;
const readUsual = (): Promise<FirstIteration> => (usual ??= firstIteration('strength: {}'));

/** How many tools and checkers there are. */
function codeFiles({ components = {} }: Results): number {
  return Object.keys(components).filter((path) => /^(tools|checkers)\//.test(path)).length;
}

test('no component has more mutants than the configuration allows', async () => {
  const { strength, results } = await firstIteration('strength: { mutants_each: 1 }');
  expect(strength?.mutants.total).toBeGreaterThan(0);
  expect(strength?.mutants.total).toBeLessThanOrEqual(codeFiles(results));
});

test('with no seconds nothing is measured, and the verdict is the same', async () => {
  const [off, on] = [await firstIteration('strength: { seconds: 0 }'), await readUsual()];
  expect(off.strength).toBeUndefined();
  expect(on.strength?.mutants.total).toBeGreaterThan(codeFiles(on.results));
  expect([off.results.passed, off.results.total]).toEqual([on.results.passed, on.results.total]);
});

test('Execute is told the first ten survivors in the answer to its submission', async () => {
  const { strength, answered } = await readUsual();
  const survivors = strength?.survivors ?? [];
  const told = survivors.filter(({ message }) =>
    answered.includes(JSON.stringify(JSON.stringify(message)).slice(3, -3)),
  );
  expect(told.length).toBeGreaterThan(5);
  expect(told).toEqual(survivors.slice(0, 10));
});
