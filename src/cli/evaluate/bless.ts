/** `tandem bless <run>`: a person makes the results of an iteration the baseline; nothing else ever writes one. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { refuseOutput, writeOutput } from '../../disk/named-output.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import { usageError } from '../../errors.ts';
import { Baseline, toBaseline } from '../../scenario/statistics/compare-baseline.ts';
import { addToRolling } from '../../scenario/statistics/rolling-baseline.ts';
import { countUnscored, judgeResults } from '../../scenario/statistics/judge-results.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { commandActor } from '../actor.ts';
import type { JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import type { Io } from '../io.ts';
import { readIteration } from './read-iteration.ts';
import { describeVerdict } from './verdict-line.ts';

export type BlessOptions = TextFlags<'iteration' | 'comment' | 'out' | 'rolling' | 'owner'> & JsonFlag;

/** The blessed baseline lies next to `scenario.yaml`, because it belongs under version control. */
export function baselineFile(io: Io, scenario: string): string {
  return join(findHome(io.cwd).project, 'scenarios', scenario, 'baseline.json');
}

/** Parses the name from `scenarios/<name>/runs/<id>/…` or `scenarios/<name>/evaluations/<n>`. */
export function parseScenarioName(dir: string): string | undefined {
  return /[/\\]scenarios[/\\]([^/\\]+)[/\\](?:runs|evaluations)[/\\]/.exec(dir)?.[1];
}

export async function blessCommand(name: string, options: BlessOptions, io: Io): Promise<number> {
  const { results, dir, run } = await readIteration(name, options.iteration, io);
  const open = countUnscored(results.samples);
  if (open > 0)
    throw usageError(
      `${name}: ${formatCount(open, 'trial')} without a verdict; incomplete results are no baseline. Play what is missing first.`,
    );
  const found = toBaseline(results);
  const { samples } = found;
  if (Object.keys(samples).length === 0)
    throw usageError(`${name}: no sample was judged; there is nothing to hold anybody to.`);
  const scenario = parseScenarioName(dir);
  if (options.out === undefined && scenario === undefined)
    throw usageError(`${name}: belongs to no scenario folder; say where with --out <file>.`);
  const file = options.out === undefined ? baselineFile(io, scenario ?? '') : resolve(io.cwd, options.out);
  const isOwn = (text: string) => parseOrNone(Baseline, text) !== undefined;
  const { project } = findHome(io.cwd);
  const output = { flag: '--out', path: file, project, kind: { called: 'baseline', isOwn } };
  refuseOutput(output);
  const most = parseOptionalCount('--rolling', options.rolling);
  const earlier = most === undefined ? undefined : parseOrNone(Baseline, await readFile(file, 'utf8').catch(() => ''));
  // Results of other components or another design say nothing about these samples.
  const isSame = earlier?.designDigest === found.designDigest && earlier.componentsDigest === found.componentsDigest;
  const at = new Date().toISOString();
  const owner = options.owner ?? commandActor(io);
  const baseline: Baseline = {
    version: 1,
    run,
    iteration: results.iteration,
    blessedBy: commandActor(io),
    blessedAt: at,
    ...(options.comment === undefined ? {} : { comment: options.comment }),
    ...found,
    ...(most !== undefined && {
      rolling: addToRolling(isSame ? earlier.rolling : undefined, { run, at, samples }, { most, owner }),
    }),
  };
  await writeOutput(output, `${JSON.stringify(baseline, null, 2)}\n`);
  const verdict = judgeResults(results);
  if (options.json === true) io.out(JSON.stringify({ file, samples: Object.keys(samples).length, verdict }));
  else io.out(`Blessed iteration ${results.iteration} of ${run}: ${Object.keys(samples).length} samples in ${file}`);
  if (options.json !== true) io.out(describeVerdict(results));
  return EXIT.met;
}
