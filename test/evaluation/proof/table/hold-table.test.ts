import { describe, expect, test } from 'vitest';
import { excuseByTable } from '../../../../src/evaluation/proof/table/hold-table.ts';
import { createProblem } from '../../../../src/scenario/attribution/problem-code.ts';
import { verificationMarkdown } from '../../../../src/report/run/verification-markdown.ts';
import { listCodes, proveHire, readHireDesign } from '../tool-hire.ts';

describe('an approved table that is held against components', () => {
  test('says nothing of sound ones, and which rule is judged by what', async () => {
    const verification = await proveHire();
    expect(listCodes(verification)).toEqual([]);
    expect(verification.judges?.['R4']).toEqual({ by: ['table', 'checker'], reads: 'whole' });
    expect(verification.judges?.['R5']).toEqual({ by: ['table', 'checker'], reads: 'part' });
    expect(verificationMarkdown(verification).join('\n')).toContain('| judged by |');
  });

  test('seconds an expectation that a refusing tool does not come to', async () => {
    const verification = await proveHire({ 'tools/charge.mjs': ['input.cents > 50000', 'input.cents > 2999'] });
    expect(listCodes(verification)[0]).toBe('tool-suspect charge');
    expect(listCodes(verification)).not.toContain(expect.stringContaining('gold-fails'));
  });

  test('names both sides where a checker rejects what the table accepts', async () => {
    const { problems } = await proveHire({ 'checkers/late-fee.mjs': [' && !isPatron', ''] });
    expect(problems).toMatchObject([{ layer: 3, code: 'checker-rejects-gold', component: 'late-fee' }]);
    expect(problems[0]?.message).toContain('table and checker disagree: ');
    expect(problems[0]?.message).toContain('R3 demands late fee: 0; read: 0');
  });

  test('a reading that moves for one rule is not doubted for another', async () => {
    const { remarks = [] } = await proveHire({
      'samples/keeps-it-for-now.json': ['"agrees": false', '"agrees": false, "kind": "member"'],
    });
    expect(remarks).toEqual([]);
  });

  test('a reading that nothing moves is a finding: its filter names what is never there', async () => {
    const design = structuredClone(await readHireDesign());
    const paid = design.format.cases?.outcomes['paid'];
    Object.assign(paid ?? expect.fail(), { from: { added: '/charges', where: { kind: 'never there' } } });
    const { remarks = [] } = await proveHire({}, undefined, { design });
    expect(remarks).toMatchObject([{ code: 'reading-never-moves', layer: 1 }]);
    expect(remarks[0]?.message).toContain('the reading of paid never moves');
  });
});

test('a rule needs no checker when the table reads all of it and has told right from wrong', () => {
  const missing = createProblem('rule-without-checker', 'R4', 'no checker names R4');
  const judged = (by: ('table' | 'checker')[], reads: 'whole' | 'part') => ({ judges: { R4: { by, reads } } });
  expect(excuseByTable(missing, judged(['table'], 'whole'))).toEqual([]);
  expect(excuseByTable(missing, judged(['table'], 'part'))).toEqual([missing]);
  expect(excuseByTable(missing, judged([], 'whole'))[0]?.message).toContain('no path of a sample breaks that');
  const other = { ...missing, code: 'checker-unused' as const };
  expect(excuseByTable(other, judged(['table'], 'whole'))).toEqual([other]);
});
