/** Loads and proves each project tool that an agent names before a run, so that its fault shows before anything is paid. */
import type { LoadedAgent } from '../../agent/definition.ts';
import type { Finding } from '../../config/findings.ts';
import { openProjectTools } from '../../evaluation/proof/open-project-tools.ts';
import type { Sandbox } from '../../ports/sandbox.ts';

export type ToolFindings = { names: string[]; findings: Finding[] };

/** `names` are the tools that can be offered. */
export async function checkProjectTools(
  agents: readonly Pick<LoadedAgent, 'projectTools'>[],
  sandbox: () => Promise<Sandbox>,
  signal: AbortSignal,
): Promise<ToolFindings> {
  const named = agents.flatMap(({ projectTools }) => projectTools ?? []);
  const files = new Map(named.flatMap((one) => one.files.map((file) => [file.path, file])));
  const [first] = named;
  if (first === undefined) return { names: [], findings: [] };
  const open = await openProjectTools({ dir: first.dir, files: [...files.values()] }, await sandbox(), signal);
  await open.close();
  const findings = open.problems.map((problem): Finding => {
    const [, where = 'tools/', what = problem] = /^([^:\s]+(?::\d+)?): ([^]*)$/.exec(problem) ?? [];
    return { level: 'error', where, what, remedy: 'mend it, or take it out of agents/*/agent.yaml' };
  });
  return { names: open.tools.map(({ name }) => name), findings };
}
