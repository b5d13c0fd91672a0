/** `tandem export harbor <run>`: writes each sample as a task in Harbor's format, proven before it is written. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import type { LoadedSample } from '../../evaluation/components/components.ts';
import { loadInSession } from '../../evaluation/components/load-components.ts';
import { openSessions } from '../../evaluation/components/open-sessions.ts';
import { taskFault } from '../../interop/harbor/prove-task.ts';
import { taskFiles } from '../../interop/harbor/task-files.ts';
import { createJudgedWorld, type HarborExport, type HarborFile } from '../../interop/harbor/judged-world.ts';
import { MODEL_KEY } from '../../interop/harbor/task-manifest.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Call, TextFlags } from '../command-context.ts';
import { namedComponents } from '../evaluate/component-folder.ts';
import { readIteration } from '../evaluate/read-iteration.ts';
import { EXIT } from '../exit-code.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';
import { gatherHarbor, readHarborScenario } from './gather-harbor.ts';
import { collectServers } from './harbor-servers.ts';
import { gapsFile, writeNewFolder } from './write-imported.ts';

type HarborOptions = SandboxFlags & TextFlags<'iteration' | 'out'>;

export async function exportHarbor(name: string, options: HarborOptions, { io, signal }: Call): Promise<number> {
  const dir =
    options.iteration === undefined
      ? await namedComponents(name, io)
      : (await readIteration(name, options.iteration, io)).dir;
  const target = resolve(io.cwd, options.out ?? `${basename(resolve(io.cwd, name))}-harbor`);
  if (existsSync(target))
    throw usageError(`${target} is there already; nothing was written. Choose another with --out.`);
  const around = await readHarborScenario(dir);
  const servers = await collectServers(around);
  const sandbox = await sandboxOver(dir, options, io);
  const session = await openSessions(sandbox, dir);
  try {
    const { components, problems } = await loadInSession(session, dir, signal);
    const [problem] = problems;
    if (problem !== undefined)
      throw new HarnessError('config_invalid', `${problem.message} Prove it first: tandem verify-components ${name}`);
    const shared = await gatherHarbor(around, { components, servers, cwd: io.cwd, signal });
    const files: HarborFile[] = [];
    const gaps = [...GENERAL];
    let left = 0;
    for (const loaded of components.samples) {
      const fault = await taskFault(loaded, { shared, session }, signal);
      const { id } = loaded.sample;
      io.err(
        terminalText(`${fault === undefined ? 'proven ' : 'LEFT OUT'} ${id}${fault === undefined ? '' : `: ${fault}`}`),
      );
      gaps.push(...describeGaps(loaded, shared, fault));
      if (fault !== undefined) left += 1;
      else files.push(...taskFiles(loaded, shared).map((file) => ({ ...file, path: `${id}/${file.path}` })));
    }
    if (files.length === 0) throw new HarnessError('config_invalid', `${name}: no sample can be a task.`);
    await writeNewFolder(target, [
      ...files,
      gapsFile(gaps, `What a task of Harbor does not hold of ${shared.scenario}`),
    ]);
    io.out(`Wrote ${formatCount(components.samples.length - left, 'task')}: ${target}`);
    if (left > 0) io.err(`${formatCount(left, 'sample')} left out: GAPS.md says why.`);
    return left > 0 ? EXIT.notMet : EXIT.met;
  } finally {
    await session.close();
  }
}

const GENERAL = [
  'Limits: the time limit of a sample is that of the agent in task.toml, its steps are actions in world.json; money is named in the metadata, and nobody counts it.',
  'Trials: Harbor says itself how often it plays a task.',
  "The agent's image holds the code of the tools, the start world and what the user knows. Gold, the expected end, checkers and graders are in the verifier's image alone, which plays the agent's actions again.",
];

function describeGaps(loaded: LoadedSample, shared: HarborExport, fault: string | undefined): string[] {
  const { id } = loaded.sample;
  if (fault !== undefined) return [`${id} is no task: ${fault}.`];
  const { user_answers: user, judge } = createJudgedWorld(loaded, shared);
  const shown = (judge.graders?.all ?? []).flatMap(({ grader, counts }) => (counts ? [] : [grader.id]));
  return [
    ...(shown.length === 0
      ? []
      : [
          `${id}: the verdicts of ${shown.join(', ')} are shown and decide nothing: a grader counts when the exported results hold its proof, and people's labels confirm it (or scenario.yaml allows it).`,
        ]),
    ...(user === 'model'
      ? [
          `${id}: a model plays its user in the agent's image, with ${MODEL_KEY} of that environment, which the agent can read: give it a key of its own with a limit. The verifier takes the user's words from the log, so an agent that forges lines can put words into its mouth.`,
        ]
      : []),
  ];
}
