import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readResultsFile } from '../../../src/cli/evaluate/read-iteration.ts';
import { scratch } from '../../support/scratch.ts';

test.each([
  ['{"version":2,"samples":[]}', 'version_mismatch', 'was made by a newer Tandem: its format is 2'],
  ['{"version":1}', 'data_corrupt', 'has another shape at iteration'],
  ['[]', 'data_corrupt', 'has another shape'],
  ['half', 'data_corrupt', 'is not whole JSON'],
])('%s: %s, in one sentence with the file', async (text, code, says) => {
  const file = join(await scratch(), 'results.json');
  await writeFile(file, text);
  await expect(readResultsFile(file)).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
  await expect(readResultsFile(file)).rejects.toThrow(file);
});
