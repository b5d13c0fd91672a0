import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readResultsFile } from '../../../src/cli/evaluate/read-iteration.ts';
import { scratch } from '../../support/scratch.ts';

test.each([
  ['{"version":2,"samples":[]}', 'version_mismatch', 'results of version 2; this Tandem reads version 1'],
  ['{"version":1}', 'data_corrupt', 'is no results file: /iteration'],
  ['[]', 'data_corrupt', 'is no results file'],
  ['half', 'data_corrupt', 'it is no JSON'],
])('%s: %s, in one sentence with the file', async (text, code, says) => {
  const file = join(await scratch(), 'results.json');
  await writeFile(file, text);
  await expect(readResultsFile(file)).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
  await expect(readResultsFile(file)).rejects.toThrow(file);
});
