/** The blocks of the docs that need nothing but a project: pasted in their order, each page in a project of its own. */
import { execFile } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMPILED, FINISHED_RUN, finishedProject, initScenario, INSTALLED, makeProject } from '../support/cli.ts';

const BLOCK = /^```(?:sh|bash) ?(\S*)\n([\s\S]*?)^```$/gm;

type Prepare = (project: string) => Promise<unknown>;
/** The index and the glossary have no block, and two pages have a test of their own. */
const OTHERS = new Set(['docs/README.md', 'docs/glossary.md', 'docs/tutorial.md', 'docs/my-agent-in-ci.md']);
/** What these take for granted. */
const SPECIAL: Record<string, Prepare> = {
  'docs/ci.md': (project) => initScenario(project, 'my-desk'),
  'examples/mcp-world/README.md': (project) =>
    cp('examples/mcp-world/scenarios', `${project}/scenarios`, { recursive: true }),
};
const PAGES = [...new Set([...globSync('docs/*.md'), ...Object.keys(SPECIAL)])]
  .filter((path) => !OTHERS.has(path))
  .toSorted();

/** A page for users may speak of a run that has ended, by the first part of its id, or of all scenarios. */
const OF_FINISHED = new RegExp(`${FINISHED_RUN.split('-')[0]}|scenarios/[*]`);

/** The run is many files: it is copied only for a page that speaks of it. */
async function projectFor(path: string, text: string): Promise<string> {
  const prepare = SPECIAL[path];
  if (prepare === undefined && OF_FINISHED.test(text)) return finishedProject();
  const project = await makeProject();
  await prepare?.(project);
  return project;
}

function paste(script: string, cwd: string): Promise<{ code: number; output: string }> {
  const env = { PATH: `${INSTALLED}:${process.env['PATH'] ?? ''}`, HOME: cwd, ...COMPILED, USER: 'reader' };
  // A reader has it from npm; here the same program is on the PATH.
  const pasted = script.replaceAll('npx tandem', 'tandem');
  return new Promise((settle) => {
    execFile('bash', ['-euo', 'pipefail', '-c', pasted], { cwd, env }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code ?? -1), output: `${stdout}\n${stderr}` }),
    );
  });
}

test.each(PAGES)('%s', async (path) => {
  const text = await readFile(path, 'utf8');
  const own = await projectFor(path, text);
  const blocks = [...text.matchAll(BLOCK)].map(([, mark = '', script = '']) => ({
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
