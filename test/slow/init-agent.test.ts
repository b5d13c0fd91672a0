/** `tandem init --agent`: somebody who has an agent and no scenario gets a folder that is evaluated offline at once. */
import { cp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { Results } from '../../src/scenario/result.ts';
import { makeProject, tandem } from '../support/cli.ts';

test('one sample passes for any agent that answers, and one fails until it is edited', async () => {
  const project = await makeProject();
  await cp(resolve('examples/python-agent/agent.py'), join(project, 'agent.py'));
  expect(await tandem(project, ['init', 'my-agent', '--agent', 'python3 agent.py'])).toMatchObject({ code: 0 });
  const proven = await tandem(project, ['verify-components', 'my-agent']);
  expect(proven, proven.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining('proved itself') });
  const played = await tandem(project, ['evaluate', 'my-agent']);
  expect(played, played.stdout + played.stderr).toMatchObject({ code: 1 });
  const text = await readFile(join(project, 'scenarios/my-agent/evaluations/1/results.json'), 'utf8');
  const { samples, costUsd } = Results.parse(JSON.parse(text));
  expect(Object.fromEntries(samples.map(({ id, outcome }) => [id, outcome]))).toEqual({
    answers: 'pass',
    'says-what-you-demand': 'fail',
  });
  expect(costUsd).toBe(0);
});
