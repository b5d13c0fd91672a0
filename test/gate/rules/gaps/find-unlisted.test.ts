import { expect, test } from 'vitest';
import { gapChecks } from '../../../../src/gate/rules/gaps/design-gaps.ts';
import type { SourceText } from '../../../../src/gate/rules/find-quote.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import type { BusinessRule } from '../../../../src/scenario/design.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const cases = Cases.parse({ attributes: { request: ['extend', 'reserve'] }, outcomes: { told: ['yes'] } });

/** Lists the names in the first check, each of which stands in quotation marks at the beginning. */
function findNames(own: Cases, rules: BusinessRule[], sources: SourceText[]): string[] {
  const design = { format: { ...formatOf(), cases: own }, rules: { version: 1 as const, rules, open_questions: [] } };
  const [check] = gapChecks(design, sources);
  const gaps = check === undefined || check.ok ? [] : check.detail.split(' · ');
  return gaps.map((gap) => /^“(.*?)”/.exec(gap)?.[1] ?? gap);
}
const find = (text: string, ...rules: BusinessRule[]) => findNames(cases, rules, [{ path: 'brief.md', text }]);

test('names what stands between two values and is none', () => {
  expect(find('Readers extend, lose or reserve a book.')).toEqual(['lose']);
});

test('does not ask for what a rule is about, nor for lists of another kind', () => {
  const about = rule('R1', 'Pay.', { applies_to: ['issue_refund'] });
  expect(find('Readers extend, want a refund or reserve a book.', about)).toEqual([]);
  expect(find('Readers extend, lose or burn a book.')).toEqual([]);
});

test('takes no word of one name for that name, and tells two values apart by a short word', () => {
  const own = Cases.parse({
    attributes: { lens: ['one_focus', 'two_focus'] },
    outcomes: { old_lens: ['kept', 'sold'] },
  });
  const kept = rule('R1', 'The old one is kept.', { demands: { old_lens: 'kept' }, applies_to: ['issue_refund'] });
  const text = '| lens | days |\n|---|---|\n| One focus | 2 |\n| Two focus | 7 |\n| Sun lens, in old colours | 4 |';
  const found = findNames(own, [kept], [{ path: 'policies/lenses.md', text }]);
  expect(found).toEqual(['Sun lens, in old colours']);
});

const BRIEF = 'Readers extend or reserve a book. Some of them donate one. We are patient with all.';
const POLICY = 'A book that readers donate is entered into the catalogue.';
const findBeside = (policy: string, ...rules: BusinessRule[]) =>
  findNames(cases, rules, [
    { path: 'brief.md', text: BRIEF },
    { path: 'policies/books.md', text: policy },
  ]);

test('names the sentence beside the kinds that a policy says more of', () => {
  expect(findBeside(POLICY)).toEqual(['Some of them donate one']);
});

test('is content where a rule is about it, and where nothing more is said', () => {
  expect(findBeside(POLICY, rule('R1', 'A book that some readers donate is entered.', {}))).toEqual([]);
  expect(findBeside('The branch closes at six.')).toEqual([]);
});

test('counts a value that stands in the name of another only once', () => {
  const paid = Cases.parse({ attributes: { paid_with: ['card', 'gift_card'] }, outcomes: { told: ['yes'] } });
  const text = '| goods |\n|---|\n| Lamps |\n| Gift card |\n| Cushions |';
  expect(findNames(paid, [], [{ path: 'a.md', text }])).toEqual([]);
});
