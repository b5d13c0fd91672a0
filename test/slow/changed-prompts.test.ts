/** A run goes on although its agents' prompts, skills and tools are others than when it began: the program is upgraded, a file is edited (T5). */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approveAll, begin, makeProject } from '../support/project.ts';

test.each([
  ['the system prompt', 'agents/execute/system_prompt.md', '\nBe kind.\n'],
  ['the tools: a folder of skills is added', 'agents/execute/agent.yaml', 'skills: { folder: skills }\n'],
])(
  '%s changes between two iterations, and no thinking is sent behind it',
  async (_what, file, more) => {
    const project = await makeProject();
    await project.edit('simulation/execute.yaml', '    steps:\n      - ', "    steps:\n      - think: 'hm'\n        ");
    const stop = new AbortController();
    const first = await project.open((event) => {
      if (event.type === 'iteration') stop.abort(new Error('stopped'));
    });
    const run = await begin(project, first);
    await expect(approveAll(first, run.id, stop.signal)).rejects.toThrow('stopped');
    await first.close();
    expect(JSON.stringify(await run.transcripts.read('execute'))).toContain('"signature"');
    await mkdir(join(project.dir, 'skills/careful'), { recursive: true });
    await writeFile(join(project.dir, 'skills/careful/SKILL.md'), '---\nname: careful\ndescription: d\n---\nx\n');
    await cp('agents/execute', join(project.dir, 'agents/execute'), { recursive: true });
    const path = join(project.dir, file);
    await writeFile(path, `${await readFile(path, 'utf8')}${more}`);
    const second = await project.open();
    try {
      expect(await approveAll(second, run.id)).toMatchObject({ status: 'succeeded', iteration: 2 });
    } finally {
      await second.close();
      await project.remove();
    }
  },
  60_000,
);
