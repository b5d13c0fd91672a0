/** The cases of the library, in our own runner. */
import { test } from 'vitest';
import { imagesCases } from '../../src/app/contracts/images-cases.ts';
import type { Images } from '../../src/ports/images.ts';

export function imagesContract(open: () => Promise<Images>): void {
  for (const { title, run } of imagesCases(open)) test(title, run);
}
