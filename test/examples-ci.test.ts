/** The shipped workflow and actions hold together without being run: every name leads somewhere, nothing is let in (C.5). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Action, expressionsIn, readYaml, referencesIn, Workflow, type Step } from './support/workflow.ts';

const FOLDER = 'examples/ci/github';
const workflow = readYaml(join(FOLDER, 'tandem.yml'), Workflow);
/** As a project has it that depends on this package. */
const ACTION = './node_modules/tandem-harness';
const action = readYaml('action.yml', Action);
const jobs = Object.entries(workflow.jobs);
const places: [string, Step[]][] = [
  ...jobs.map(([name, { steps }]): [string, Step[]] => [name, steps]),
  ['action.yml', action.runs.steps],
];
const allSteps = places.flatMap(([, steps]) => steps);

describe('the GitHub workflow', () => {
  test('names other people’s actions by commit, so that a moved tag brings nothing in', () => {
    const used = allSteps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used.length).toBeGreaterThan(8);
    for (const uses of used) expect(uses).toMatch(/^(\.\/node_modules\/tandem-harness|actions\/[\w-]+@[0-9a-f]{40})$/);
  });

  test('the action gets every input that it needs, and none that it does not know', () => {
    const uses = allSteps.filter((step) => step.uses === ACTION);
    expect(uses).toHaveLength(3);
    const needed = Object.entries(action.inputs).flatMap(([input, { required }]) => (required === true ? [input] : []));
    for (const step of uses) {
      const given = Object.keys(step.with ?? {});
      expect(given.filter((input) => !(input in action.inputs))).toEqual([]);
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
          if (step?.uses === ACTION) expect(action.outputs, `${name}: ${reference}`).toHaveProperty(output);
        }
      }
    }
    for (const [index, step] of action.runs.steps.entries()) {
      for (const reference of expressionsIn(step).flatMap(referencesIn)) {
        const [kind, subject = ''] = reference.split('.');
        if (kind === 'inputs') expect(action.inputs, reference).toHaveProperty(subject);
        if (kind === 'steps') expect(action.runs.steps.slice(0, index).map(({ id }) => id)).toContain(subject);
      }
    }
  });

  test('no text of a person or an agent becomes a part of a script: it comes as a variable', () => {
    const scripts = allSteps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(scripts.length).toBeGreaterThan(4);
    for (const script of scripts) expect(script).not.toContain('${{');
  });

  test('every script that a step runs is shipped, and gets every variable that it asks for', () => {
    for (const { run, env } of allSteps.filter(({ run }) => run !== undefined && run !== 'npm ci')) {
      const file = /^(?:bash|node) "\$GITHUB_ACTION_PATH\/(\S+)"$/.exec(run ?? '')?.[1] ?? `no file in ${run}`;
      expect(existsSync(file), file).toBe(true);
      const wanted = [...readFileSync(file, 'utf8').matchAll(/\$\{(TANDEM_\w+):\?/g)].map(([, name = '']) => name);
      expect(Object.keys(env ?? {}), file).toEqual(expect.arrayContaining(wanted));
    }
  });

  test('the action and its scripts are in the package, where the workflow looks for them', () => {
    const { name, files } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string; files: string[] };
    expect(ACTION).toBe(`./node_modules/${name}`);
    expect(files).toEqual(expect.arrayContaining(['action.yml', 'examples/ci']));
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
    const answer = (job: typeof decide) => job?.steps.find(({ uses }) => uses === ACTION)?.with;
    expect(decide?.environment).toBe('hitl-1');
    expect(decide?.if).toBe("needs.carry-on.outputs.status == 'awaiting_approval'");
    expect(answer(decide)).toMatchObject({ digest: '${{ needs.carry-on.outputs.digest }}', expect: 'approved' });
    expect(declined?.environment).toBeUndefined();
    expect(answer(declined)).toMatchObject({ digest: '${{ needs.carry-on.outputs.digest }}', expect: 'rejected' });
    // Without a digest the action answers nothing.
    expect(answer(workflow.jobs['carry-on'])).not.toHaveProperty('digest');
    const decides = allSteps.filter(({ run }) => run?.includes('decide.sh'));
    expect(decides.map((step) => step.if)).toEqual(["inputs.digest != ''"]);
  });

  test('no job can hang for ever', () => {
    for (const [, job] of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    const given = workflow.jobs['carry-on']?.steps.find(({ id }) => id === 'slice')?.with?.['minutes'];
    expect(Number(given ?? action.inputs['minutes']?.default)).toBeLessThan(
      workflow.jobs['carry-on']?.['timeout-minutes'] ?? 0,
    );
  });
});
