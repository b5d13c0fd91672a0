/** One place for the folders that files of tests share, for as long as the suite runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-shared-'));
  process.env['TANDEM_TEST_SHARED'] = folder;
  process.env['TANDEM_TEST_SUITE'] = 'yes';
  return () => rm(folder, { recursive: true, force: true });
}
