/** docs/components.md, docs/samples.md and docs/graders.md, as their reader uses them: their files in a folder, proven and played by the real command, in each language. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { Results } from '../../src/scenario/result.ts';
import { makeProject, tandem } from '../support/cli.ts';
import { examplesIn } from '../support/page-examples.ts';

const TEMPLATE = 'simulation/files';
const LANGUAGES = ['.mjs', '.ts', '.py'];
let project: string;

beforeAll(async () => {
  project = await makeProject();
  await tandem(project, ['init', 'library']);
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** The folder of the page: its own files, and of the template what they need besides. */
async function folderIn(language: string): Promise<string> {
  const from = join(project, 'scenarios/library', TEMPLATE);
  const dir = join(project, `components${language}`);
  await cp(from, dir, { recursive: true });
  await rm(join(dir, 'tools/renew_loan.mjs'));
  await rm(join(dir, 'checkers/renewed-as-allowed.mjs'));
  const pages = ['components', 'samples', 'graders'].map((name) => readFile(`docs/${name}.md`, 'utf8'));
  for (const [path, text] of examplesIn((await Promise.all(pages)).join('\n'))) {
    if (/\.(?:mjs|ts|py)$/.test(path) && !path.endsWith(language)) continue;
    // Its server is one of a scenario that has it: test/slow/mcp/ plays those.
    if (path.endsWith('.mcp.json')) continue;
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  return dir;
}

describe.each(LANGUAGES)('with tools and checkers in %s', (language) => {
  test('the folder proves itself; only the grader is still to be asked', async () => {
    const { code, stdout, stderr } = await tandem(project, ['verify-components', await folderIn(language), '--json']);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const { problems, remarks } = JSON.parse(stdout) as { problems: unknown[]; remarks?: { code: string }[] };
    expect(problems).toEqual([]);
    expect(remarks?.map((remark) => remark.code)).toContain('grader-unproven');
  });

  test('its gold paths are played, and the numbers of its checker are summarised', async () => {
    const dir = await folderIn(language);
    // Nobody is there to ask: its grader has a test of its own below.
    const sample = join(dir, 'samples/renew-once.json');
    const text = await readFile(sample, 'utf8');
    await writeFile(sample, text.replace(/\s*"graders": .*\n\s*"graders_see": .*/, ''));
    await rm(join(dir, 'graders'), { recursive: true });
    const out = join(project, `played${language}`);
    const args = ['evaluate', 'library', '--components', dir, '--subject', 'gold', '--out', out, '--json'];
    const played = await tandem(project, args);
    expect(played.code, played.stdout + played.stderr).toBe(0);
    const results = JSON.parse(await readFile(join(out, 'results.json'), 'utf8')) as {
      passed: number;
      metrics: { checker: string; name: string; mean: number }[];
    };
    expect(results.passed).toBe(3);
    expect(results.metrics.map(({ name, mean }) => [name, mean])).toEqual([
      ['calls', expect.any(Number)],
      ['score', 1],
      ['words', expect.any(Number)],
    ]);
  });
});

test('its grader is asked: it proves itself on the answers of the page, judges what was played by most of its votes, and gives its numbers', async () => {
  const dir = await folderIn('.mjs');
  const simulation = join(project, 'scenarios/library/simulation');
  const quotes = ['Could you renew my loan?'];
  const answer = (verdict: string) => {
    const input = { verdict, reason: `a ${verdict}`, quotes, score: 0.9, metrics: { facts_given: 2 } };
    return [{ calls: [{ tool: 'give_verdict', input }] }];
  };
  const judge = {
    ...{ version: 1, who: 'judge', match: { system_includes: 'You are a grader.' } },
    turns: [
      { name: 'nothing done', marker: '<record>', steps: answer('fail') },
      { name: 'renewed', marker: '/loans/L-101/renewals', steps: answer('pass') },
    ],
  };
  await writeFile(join(simulation, 'judge.yaml'), stringify(judge));
  const subject = join(simulation, 'subject.yaml');
  const own = `  - name: of the page
    marker: 'Could you renew my loan?'
    steps:
      - say: 'Which loan is it?'
      - calls: [{ tool: find_loan, input: { loan_id: L-101 } }]
      - calls: [{ tool: renew_loan, input: { loan_id: L-101 } }]
      - say: 'Renewed: you have fourteen days more.'
`;
  await writeFile(subject, `${(await readFile(subject, 'utf8')).trimEnd()}\n${own}`);
  const out = join(project, 'graded');
  const args = ['evaluate', 'library', '--components', dir, '--profile', 'demo', '--out', out, '--json'];
  const done = await tandem(project, args);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  const results = Results.parse(JSON.parse(await readFile(join(out, 'results.json'), 'utf8')));
  const [proof] = results.verification.graders ?? [];
  expect(proof?.cases.filter(({ wanted, got }) => wanted !== 'either' && wanted !== got)).toEqual([]);
  const kinds = proof?.cases.map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual(['confident-lie', 'gold', 'orders-to-pass', 'padded', 'silent', 'wrong']);
  const played = results.samples.find(({ id }) => id === 'renew-once');
  expect(played?.trials[0]?.verdicts.at(-1)).toMatchObject({
    ...{ checker: 'kind-answer', pass: true, evidence: quotes, score: 0.9, metrics: { facts_given: 2 } },
    // Nobody has labelled yet: it is shown, and decides nothing.
    grader: { counts: false, votes: { pass: 3, fail: 0, void: 0 } },
  });
  expect(results.metrics).toContainEqual(
    expect.objectContaining({ checker: 'kind-answer', name: 'facts_given', mean: 2 }),
  );
});
