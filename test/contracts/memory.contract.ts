/** The cases of the port, in our own runner (S3.12). */
import { describe, test } from 'vitest';
import { memoryCases } from './cases/memory-cases.ts';
import type { Memory } from '../../src/ports/memory.ts';

export { createMemoryItem } from './cases/memory-cases.ts';

export function memoryContract(name: string, open: () => Promise<Memory>): void {
  describe(`memory contract: ${name} (S3.12)`, () => {
    for (const { title, run } of memoryCases(open)) test(title, run);
  });
}
