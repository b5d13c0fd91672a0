/** The shipped workflow and actions hold together without being run: every name leads somewhere, nothing is let in (C.5). */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Action, expressionsIn, readYaml, referencesIn, Workflow, type Step } from './support/workflow.ts';

const FOLDER = 'examples/ci/github';
const workflow = readYaml(join(FOLDER, 'tandem.yml'), Workflow);
const actions = {
  'tandem-slice': readYaml(join(FOLDER, 'tandem-slice/action.yml'), Action),
  'tandem-answer': readYaml(join(FOLDER, 'tandem-answer/action.yml'), Action),
};
const jobs = Object.entries(workflow.jobs);
const places: [string, Step[]][] = [
  ...jobs.map(([name, { steps }]): [string, Step[]] => [name, steps]),
  ...Object.entries(actions).map(([name, { runs }]): [string, Step[]] => [name, runs.steps]),
];
const allSteps = places.flatMap(([, steps]) => steps);

function outputsOf(step: Step): string[] | undefined {
  const local = step.uses?.startsWith('./') === true ? basename(step.uses) : undefined;
  if (local === 'tandem-slice') return Object.keys(actions['tandem-slice'].outputs ?? {});
  return undefined;
}

describe('the GitHub workflow', () => {
  test('names other people’s actions by commit, so that a moved tag brings nothing in', () => {
    const used = allSteps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used.length).toBeGreaterThan(8);
    for (const uses of used) expect(uses).toMatch(/^(\.\/\.github\/actions\/[\w-]+|actions\/[\w-]+@[0-9a-f]{40})$/);
  });

  test('its own actions are there, get every input that they need, and none that they do not know', () => {
    for (const step of allSteps.filter(({ uses }) => uses?.startsWith('./'))) {
      const name = basename(step.uses ?? '') as keyof typeof actions;
      const { inputs } = actions[name];
      const given = Object.keys(step.with ?? {});
      expect(given.filter((input) => !(input in inputs))).toEqual([]);
      const needed = Object.entries(inputs).flatMap(([input, { required }]) => (required === true ? [input] : []));
      expect(needed.filter((input) => !given.includes(input))).toEqual([]);
    }
  });

  test('every step, job and input that an expression names is declared before it', () => {
    for (const [name, job] of jobs) {
      const needs = [job.needs ?? []].flat();
      for (const need of needs) expect(workflow.jobs).toHaveProperty(need);
      const references = expressionsIn(job).flatMap(referencesIn);
      for (const reference of references) {
        const [kind, subject = '', , output = ''] = reference.split('.');
        if (kind === 'needs') {
          expect(needs, `${name}: ${reference}`).toContain(subject);
          if (reference.includes('.outputs.')) expect(workflow.jobs[subject]?.outputs).toHaveProperty(output);
        }
        if (kind === 'inputs')
          for (const trigger of Object.values(workflow.on)) expect(trigger.inputs).toHaveProperty(subject);
        if (kind === 'steps') {
          const step = job.steps.find(({ id }) => id === subject);
          expect(step, `${name}: ${reference}`).toBeDefined();
          const known = step === undefined ? undefined : outputsOf(step);
          if (known !== undefined) expect(known, `${name}: ${reference}`).toContain(output);
        }
      }
    }
    for (const [name, { inputs, runs }] of Object.entries(actions)) {
      for (const [index, step] of runs.steps.entries()) {
        for (const reference of expressionsIn(step).flatMap(referencesIn)) {
          const [kind, subject = ''] = reference.split('.');
          if (kind === 'inputs') expect(inputs, `${name}: ${reference}`).toHaveProperty(subject);
          if (kind === 'steps') expect(runs.steps.slice(0, index).map(({ id }) => id)).toContain(subject);
        }
      }
    }
  });

  test('no text of a person or an agent becomes a part of a script: it comes as a variable', () => {
    const scripts = allSteps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(scripts.length).toBeGreaterThan(5);
    for (const script of scripts) expect(script).not.toContain('${{');
  });

  test('every script that a step runs is shipped, and gets every variable that it asks for', () => {
    for (const { run, env } of allSteps.filter(({ run }) => run?.includes('.github/tandem/'))) {
      const file = join('examples/ci/scripts', basename(run ?? ''));
      expect(existsSync(file), file).toBe(true);
      const wanted = [...readFileSync(file, 'utf8').matchAll(/\$\{(TANDEM_\w+):\?/g)].map(([, name = '']) => name);
      expect(Object.keys(env ?? {}), file).toEqual(expect.arrayContaining(wanted));
    }
  });

  test('may do no more than it needs, and the key is given to one step only', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [, { permissions }] of jobs) expect(permissions).toEqual({ contents: 'read', actions: 'write' });
    const holders = allSteps.filter((step) => JSON.stringify(step).includes('secrets.'));
    expect(holders.map(({ id }) => id)).toEqual(['slice']);
    for (const step of allSteps.filter(({ uses }) => uses?.startsWith('actions/checkout')))
      expect(step.with).toEqual({ 'persist-credentials': false });
  });

  test('an approval comes through the protected environment only, and names the digest of the job that opened the gate', () => {
    const { decide, declined } = workflow.jobs;
    const answer = (job: typeof decide) => job?.steps.find(({ uses }) => uses?.endsWith('tandem-answer'))?.with;
    expect(decide?.environment).toBe('hitl-1');
    expect(decide?.if).toBe("needs.carry-on.outputs.status == 'awaiting_approval'");
    expect(answer(decide)).toMatchObject({ digest: '${{ needs.carry-on.outputs.digest }}', expect: 'approved' });
    expect(declined?.environment).toBeUndefined();
    expect(answer(declined)).toMatchObject({ digest: '${{ needs.carry-on.outputs.digest }}', expect: 'rejected' });
    for (const [name, steps] of places.filter(([name]) => name !== 'tandem-answer'))
      expect(JSON.stringify(steps), name).not.toContain('decide.sh');
  });

  test('no job can hang for ever', () => {
    for (const [, job] of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    const minutes = workflow.jobs['carry-on']?.steps.find(({ id }) => id === 'slice')?.with?.['minutes'];
    expect(Number(minutes)).toBeLessThan(workflow.jobs['carry-on']?.['timeout-minutes'] ?? 0);
  });
});
