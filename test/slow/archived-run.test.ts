/** A run is archived, judged again in place, and unpacked by resume, by the commands as a user has them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastJson, makeProject, tandem } from '../support/cli.ts';

test('run, archive, rejudge, status, resume', async () => {
  const project = await makeProject();
  await tandem(project, ['init', 'small-desk']);
  const runs = join(project, 'scenarios/small-desk/runs');
  const env = { XDG_CACHE_HOME: join(project, 'cache') };
  const run = ['run', 'small-desk', '--profile', 'demo', '--on-gate', 'auto:demo', '--id', 'done'];
  expect(await tandem(project, run)).toMatchObject({ code: 0 });
  expect(await readdir(join(runs, 'done/spend'))).toEqual(['packed.jsonl']);
  expect(await readdir(join(runs, 'done'))).toContain('ended.json');
  expect(await tandem(project, ['runs', 'archive', '--older-than', '0.001s'])).toMatchObject({ code: 0 });
  expect(await readdir(runs)).toContain('done.tar.gz');
  expect(await readdir(runs)).not.toContain('done');
  const rejudged = await tandem(project, ['rejudge', 'done'], env);
  expect({ ...rejudged, stderr: rejudged.stderr.slice(-800) }).toMatchObject({ code: 0 });
  expect(lastJson(await tandem(project, ['status', 'done', '--json'], env))).toMatchObject({ status: 'succeeded' });
  expect(await tandem(project, ['resume', 'done'], env)).toMatchObject({ code: 0 });
  expect(await readdir(runs)).not.toContain('done.tar.gz');
  expect(await tandem(project, ['verify', 'done'])).toMatchObject({ code: 0 });
});
