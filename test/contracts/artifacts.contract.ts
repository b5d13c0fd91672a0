/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { artifactsCases, type ArtifactsUnderTest } from './cases/artifacts-cases.ts';

export type { ArtifactsUnderTest };

export function artifactsContract(name: string, make: () => Promise<ArtifactsUnderTest>): void {
  describe(`artifacts contract: ${name}`, () => {
    for (const { title, run } of artifactsCases(make)) test(title, run);
  });
}
