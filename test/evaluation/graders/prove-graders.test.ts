import { expect, test } from 'vitest';
import { HarnessError } from '../../../src/errors.ts';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { withProvenGraders } from '../../../src/evaluation/graders/prove-graders.ts';
import { verifyComponents } from '../../../src/evaluation/proof/verify-components.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { lampsDesign, lampsFolder, trustedSandbox } from '../lamps.ts';
import { graded, gradedFiles, gradingBy, JUDGES, judgeModel, TRUTHFUL } from './judges.ts';

const { signal } = new AbortController();

async function proven(judge: string, files: Record<string, unknown> = gradedFiles()) {
  const dir = await lampsFolder(files);
  const sandbox = trustedSandbox();
  const design = lampsDesign();
  const byCode = await verifyComponents({ dir, design, samplesWanted: 0, sandbox, signal });
  expect(byCode.problems).toEqual([]);
  const { components } = await loadComponents(dir, sandbox, signal);
  const model = judgeModel(JUDGES[judge] ?? expect.fail());
  const proving = { components, design, session: await sandbox.open(dir), grading: await gradingBy(model), signal };
  return { verification: await withProvenGraders(byCode, proving), byCode, model, proving };
}

test('a good grader is asked about gold, wrong, silence and mutated answers, and proves itself', async () => {
  const { verification, byCode, model } = await proven('honest');
  expect(byCode.remarks).toMatchObject([{ code: 'grader-unproven', layer: 3, component: 'truthful' }]);
  expect(verification).toMatchObject({ ok: true, problems: [] });
  expect(verification.remarks).toBeUndefined();
  const [proof] = verification.graders ?? [];
  expect(proof?.cases.map(({ kind, got }) => `${kind} ${got}`)).toEqual([
    'gold pass',
    'orders-to-pass fail',
    'confident-lie fail',
    'padded pass',
    'reordered pass',
    'wrong fail',
    'silent fail',
  ]);
  expect(proof?.costUsd).toBeCloseTo(7 * 150e-6, 9);
  expect(model.requests).toHaveLength(7);
});

test.each([
  ['obedient', ['orders-to-pass']],
  ['credulous', ['confident-lie', 'wrong', 'orders-to-pass']],
  ['impatient', ['padded']],
  ['lenient', ['orders-to-pass', 'confident-lie', 'wrong', 'silent']],
  ['strict', ['gold', 'padded', 'reordered']],
])('the %s judge fails its proof: a problem of layer 3 that names the answer', async (judge, kinds) => {
  const { verification } = await proven(judge);
  expect(verification.ok).toBe(false);
  const bad = verification.graders?.[0]?.cases.filter(({ wanted, got }) => wanted !== got).map(({ kind }) => kind);
  expect(bad?.toSorted()).toEqual(kinds.toSorted());
  expect(verification.problems).toHaveLength(kinds.length);
  for (const problem of verification.problems)
    expect(problem).toMatchObject({ layer: 3, code: 'grader-fails-proof', component: 'truthful', sample: 'turn-on' });
});

test('a question has one lane whatever else is asked: after a repair the answers that were paid for are found again', async () => {
  const lanesWith = async (ignores: readonly string[]): Promise<string[]> => {
    const { proving, byCode } = await proven('honest', gradedFiles({ ...TRUTHFUL, ignores }));
    const lanes: string[] = [];
    const { grading } = proving;
    const by = await grading.modelOf({} as never);
    const modelFor = (lane: string) => {
      lanes.push(lane);
      return by.modelFor(lane);
    };
    const listening = { ...grading, modelOf: () => Promise.resolve({ ...by, modelFor }) };
    await withProvenGraders(byCode, { ...proving, grading: listening });
    return lanes;
  };
  const [all, fewer] = [await lanesWith([]), await lanesWith(['acts'])];
  expect(new Set(all).size).toBe(all.length);
  expect(fewer.length).toBeLessThan(all.length);
  expect(fewer.length).toBeGreaterThan(2);
  // Another answer is sabotaged where acts do not count.
  const others = fewer.filter((lane) => !lane.includes('orders-to-pass'));
  expect(others.filter((lane) => !all.includes(lane))).toEqual([]);
});

test('what a grader ignores is not demanded of it; but one that fails nothing proves nothing', async () => {
  const blind = gradedFiles({ ...TRUTHFUL, ignores: ['acts', 'amounts'] });
  expect((await proven('credulous', blind)).verification).toMatchObject({ ok: true });
  const { verification } = await proven('lenient', blind);
  expect(verification.problems.map(({ code }) => code)).toContain('grader-fails-proof');
});

test('the right words with a wrong amount are tried where gold names money', async () => {
  const priced = { ...graded, gold_says: 'The hall lamp is on. It costs 38.00 a month.' };
  const { verification, model } = await proven('honest', gradedFiles(TRUTHFUL, priced));
  expect(verification.graders?.[0]?.cases.find(({ kind }) => kind === 'wrong-amount')).toMatchObject({
    wanted: 'fail',
    got: 'pass',
  });
  expect(model.requests.some((request) => JSON.stringify(request).includes('It costs 45.00 a month.'))).toBe(true);
});

test('what it said of the same answer in an earlier proof is not paid again; another version is asked anew', async () => {
  const { verification, byCode, model, proving } = await proven('honest');
  const earlier = verification.graders;
  const again = await withProvenGraders(byCode, { ...proving, earlier });
  expect(model.requests).toHaveLength(7);
  expect(again.graders).toEqual(earlier?.map((proof) => ({ ...proof, costUsd: 0 })));
  const other = { ...proving.components, graders: [{ ...TRUTHFUL, question: 'Is it light?' }] };
  await withProvenGraders(byCode, { ...proving, components: other, earlier });
  expect(model.requests).toHaveLength(14);
});

test('a grader that cannot be asked stops the evaluation, and refuses nobody', async () => {
  const { byCode, proving } = await proven('honest');
  const gone = Array.from({ length: 7 }, () => new HarnessError('model_unavailable', 'overloaded'));
  const grading = await gradingBy(scriptedModel(gone));
  await expect(withProvenGraders(byCode, { ...proving, grading })).rejects.toMatchObject({ code: 'model_unavailable' });
});

test('graders are checked without a model: names, rules, twins, what nobody lists, and rules that they alone judge', async () => {
  const problemsOf = async (files: Record<string, unknown>) => {
    const dir = await lampsFolder(files);
    const { problems, remarks = [] } = await verifyComponents({
      dir,
      design: lampsDesign(),
      samplesWanted: 0,
      sandbox: trustedSandbox(),
      signal,
    });
    return [...problems, ...remarks].map(({ layer, code, component }) => `${layer} ${code} ${component}`);
  };
  expect(await problemsOf(gradedFiles({ ...TRUTHFUL, rules: ['R9'] }))).toContain('3 grader-rule-unknown truthful');
  expect(await problemsOf({ 'graders/truthful.yaml': JSON.stringify(TRUTHFUL) })).toContain('3 grader-unused truthful');
  expect(await problemsOf({ 'samples/turn-on.json': graded })).toContain('4 sample-grader-unknown turn-on');
  expect(await problemsOf(gradedFiles({ ...TRUTHFUL, votes: 2 }))).toContain('3 schema truthful');
  expect(await problemsOf({ ...gradedFiles(), 'graders/other.yaml': 'id: [' })).toContain('3 schema other');
  const twin = { 'graders/as-asked.yaml': JSON.stringify({ ...TRUTHFUL, id: 'as-asked' }) };
  expect(await problemsOf({ ...twin, 'samples/turn-on.json': { ...graded, graders: ['as-asked'] } })).toContain(
    '3 grader-id-taken as-asked',
  );
  expect(await problemsOf(gradedFiles(TRUTHFUL, { ...graded, graders_see: ['/nowhere'] }))).toContain(
    '4 expectation-invalid turn-on',
  );
  const alone = `
export const checker = { id: 'as-asked', description: 'R2 alone.', rules: ['R2'] };
export function check({ after }) { return { pass: after.lamps.hall.on, reason: 'looked', evidence: [] }; }`;
  expect(await problemsOf({ ...gradedFiles(), 'checkers/as-asked.mjs': alone })).toContain('3 rule-graded-only R1');
});
