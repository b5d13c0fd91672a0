import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { gradersOfStatements } from '../../../../src/interop/tau/domain/samples.ts';
import { CriteriaShape } from '../../../../src/interop/tau/runs/criteria-tau2.ts';
import { GraderSpec } from '../../../../src/scenario/grader.ts';
import { criteria } from '../../rows.ts';

const judged = (covers: string[], basis: string[], ...statements: string[]) => ({
  task: { evaluation_criteria: CriteriaShape.parse(criteria({ reward_basis: basis, nl_assertions: statements })) },
  covers,
});

test('each statement that counts is one grader, for the rules of all tasks that demand it', () => {
  const one = judged(['R1'], ['DB', 'NL_ASSERTION'], 'The agent is polite.', 'It names the fee.');
  const other = judged(['R2'], ['NL_ASSERTION'], 'The agent is polite.');
  const { files, idsOf } = gradersOfStatements([one, other]);
  expect(files.map(({ path, content }) => [path, GraderSpec.parse(parse(content)).rules])).toEqual([
    ['graders/statement-1.yaml', ['R1', 'R2']],
    ['graders/statement-2.yaml', ['R1']],
  ]);
  expect([idsOf(one.task), idsOf(other.task)]).toEqual([['statement-1', 'statement-2'], ['statement-1']]);
});

test('statements that count for nothing there are no graders here', () => {
  const { files, idsOf } = gradersOfStatements([judged(['R1'], ['DB'], 'The agent is polite.')]);
  expect([files, idsOf(judged([], ['DB'], 'The agent is polite.').task)]).toEqual([[], []]);
});
