/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { toolHostCases, type ToolHostUnderTest } from './cases/tool-host-cases.ts';

export type { ToolHostUnderTest };

export function toolHostContract(name: string, open: () => Promise<ToolHostUnderTest>): void {
  describe(`${name} keeps the contract of a tool host`, () => {
    for (const { title, run } of toolHostCases(open)) test(title, run);
  });
}
