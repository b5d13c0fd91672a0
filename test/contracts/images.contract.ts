/** The cases of the port, in our own runner. */
import { test } from 'vitest';
import { imagesCases } from './cases/images-cases.ts';
import type { Images } from '../../src/ports/images.ts';

export function imagesContract(open: () => Promise<Images>): void {
  for (const { title, run } of imagesCases(open)) test(title, run);
}
