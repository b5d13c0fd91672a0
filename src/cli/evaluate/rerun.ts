/** `tandem rerun <run> <sample>`: plays a recorded trial again without a model and reports the new verdict. */
import { join, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { usageError } from '../../errors.ts';
import { rerunSample, type Rerun } from '../../pipeline/evaluation/rerun-sample.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { type Call, type JsonFlag, type TextFlags, EXIT } from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';
import { outputDir } from '../../run/layout.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type RerunOptions = SandboxFlags & JsonFlag & TextFlags<'iteration' | 'trial' | 'components'>;

/** Exit code 0 when the trial passes now, 1 when it does not. */
export async function rerunCommand(
  { run: name, sample }: { run: string; sample: string },
  options: RerunOptions,
  { io, signal }: Call,
): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const { iterations } = await readState(run);
  const iteration = parseOptionalCount('--iteration', options.iteration) ?? iterations.at(-1)?.iteration;
  if (iteration === undefined) throw usageError(`Run ${run.id} has no iteration yet.`);
  const request = {
    sample,
    iteration,
    trial: parseOptionalCount('--trial', options.trial),
    components: options.components === undefined ? undefined : resolve(io.cwd, options.components),
  };
  const sandbox = await sandboxOver(request.components ?? join(run.dir, outputDir(iteration)), options, io);
  const rerun = await rerunSample(run, request, {
    sandbox,
    prompts: await loadPrompts(findHome(io.cwd)),
    signal,
  });
  if (options.json === true) io.out(JSON.stringify(rerun));
  else for (const line of rerunLines(rerun)) io.out(terminalText(line));
  return rerun.now.outcome === 'pass' ? EXIT.met : EXIT.notMet;
}

function rerunLines({ iteration, sample, recorded, now, changed }: Rerun): string[] {
  const same = now.outcome === recorded.outcome ? 'as recorded' : `and was recorded as ${recorded.outcome}`;
  return [
    `${sample}, trial ${recorded.trial} of iteration ${iteration}: ${now.outcome}, ${same} (no model was called)`,
    ...now.verdicts.flatMap(({ checker, pass, reason, evidence, broken }) => [
      `  ${pass ? 'pass' : broken === true ? 'BROKEN' : 'FAIL'}  ${checker}: ${reason}`,
      ...(pass ? [] : evidence.map((line) => `          ${line}`)),
    ]),
    ...(now.toolFault === undefined ? [] : [`  tool fault: ${now.toolFault}`]),
    ...(now.deciding === undefined ? [] : [`  decided at step ${now.deciding.step}: ${now.deciding.quote}`]),
    ...(changed.length === 0
      ? ['  every call answers as it did']
      : changed.map((call) => `  answers otherwise than recorded: ${call}`)),
  ];
}
