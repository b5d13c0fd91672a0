/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { modelCases, type OpenModel } from './cases/model-cases.ts';

export { contractRequest, contractResponse, type ContractAnswer } from './cases/model-cases.ts';

export function modelContract(name: string, open: OpenModel): void {
  describe(`${name} keeps the contract of a model`, () => {
    for (const { title, run } of modelCases(open)) test(title, run);
  });
}
