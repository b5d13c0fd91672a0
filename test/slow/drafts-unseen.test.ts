/** What a reviewer has not sent lies where no agent reads or writes: not Init, not Execute, not who answers questions. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileDrafts } from '../../src/adapters/files/file-drafts.ts';
import { chatMounts } from '../../src/pipeline/chat/mentioned-files.ts';
import type { Mount } from '../../src/ports/tools/tool-host.ts';
import { advance } from '../../src/pipeline/drive/advance.ts';
import { stateOf } from '../../src/pipeline/drive/drive.ts';
import { begin, decide, live, makeProject } from '../support/project.ts';

test('no folder that any agent of a whole run is given holds a draft or the mark of a question', async () => {
  const project = await makeProject();
  const app = await project.open();
  try {
    const given: Mount[] = [];
    const fileTools: typeof app.deps.fileTools = (mounts) => {
      given.push(...mounts);
      return app.deps.fileTools(mounts);
    };
    const deps = { ...app.deps, fileTools };
    const run = await begin(project, app);
    const secret = { gate: 'HITL-1.r1', digest: 'd', field: 'comment', text: 'half a thought' };
    await openFileDrafts().change(run.dir, 'ada', async () => [secret]);
    const rest = async () => {
      while (!['wait', 'none'].includes((await advance(run.id, deps, live)).type)) continue;
    };
    await rest();
    const init = given.length;
    await decide(app, await stateOf(run.id, deps), 'approve', { run: run.dir, nonce: 'n' });
    await rest();
    expect([init > 0, given.length > init]).toEqual([true, true]);
    for (const { physical } of [...given, ...chatMounts(run)])
      for (const own of ['drafts', 'asking', 'spend', 'events'])
        expect(`${join(run.dir, own)}/`.startsWith(`${physical}/`), physical).toBe(false);
    expect(
      JSON.stringify([...(await run.transcripts.read('init')), ...(await run.transcripts.read('execute'))]),
    ).not.toContain('half a thought');
  } finally {
    await app.close();
    await project.remove();
  }
});
