/** The blocks of the docs that need nothing but a project: pasted in their order, each page in a project of its own. */
import { execFile } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMPILED, finishedProject, makeProject, tandem } from '../support/cli.ts';

const BLOCK = /^```(?:sh|bash) ?(\S*)\n([\s\S]*?)^```$/gm;
const HERE = resolve('test/support/installed');

type Prepare = (project: string) => Promise<unknown>;
/** The index and the glossary have no block, and two pages have a test of their own. */
const OTHERS = new Set(['docs/README.md', 'docs/glossary.md', 'docs/tutorial.md', 'docs/my-agent-in-ci.md']);
/** A page for users may speak of a run that has ended; these take something else for granted. */
const SPECIAL: Record<string, Prepare> = {
  'docs/ci.md': (project) => tandem(project, ['init', 'my-desk']),
  'docs/evaluate-my-agent.md': async () => undefined,
  'examples/mcp-world/README.md': (project) =>
    cp('examples/mcp-world/scenarios', `${project}/scenarios`, { recursive: true }),
};
const PAGES = [...new Set([...globSync('docs/*.md'), ...Object.keys(SPECIAL)])]
  .filter((path) => !OTHERS.has(path))
  .toSorted()
  .map((path) => [path, SPECIAL[path] ?? copyFinishedRun] as const);

async function copyFinishedRun(project: string): Promise<void> {
  const finished = await finishedProject();
  await cp(`${finished}/scenarios`, `${project}/scenarios`, { recursive: true });
  await rm(finished, { recursive: true });
}

function paste(script: string, cwd: string): Promise<{ code: number; output: string }> {
  const env = { PATH: `${HERE}:${process.env['PATH'] ?? ''}`, HOME: cwd, ...COMPILED, USER: 'reader' };
  // A reader has it from npm; here the same program is on the PATH.
  const pasted = script.replaceAll('npx tandem', 'tandem');
  return new Promise((settle) => {
    execFile('bash', ['-euo', 'pipefail', '-c', pasted], { cwd, env }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code ?? -1), output: `${stdout}\n${stderr}` }),
    );
  });
}

test.each(PAGES)('%s', async (path, prepare) => {
  const own = await makeProject();
  await prepare(own);
  const blocks = [...(await readFile(path, 'utf8')).matchAll(BLOCK)].map(([, mark = '', script = '']) => ({
    mark,
    script,
  }));
  const run = blocks.filter(({ mark }) => !mark.startsWith('needs-'));
  expect(run.length).toBeGreaterThan(0);
  for (const { mark, script } of run) {
    const { code, output } = await paste(script, own);
    expect(code, `${script}\n${output}`).toBe(Number(/^exit=(\d+)$/.exec(mark)?.[1] ?? 0));
  }
  await rm(own, { recursive: true, force: true });
});
