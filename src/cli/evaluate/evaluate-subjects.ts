/** Evaluates several subjects, each into its own folder, and compares them; finished subjects are not played again. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { identifySubject } from '../../app/evaluation/subject-identity.ts';
import { canonicalJson } from '../../disk/canonical-json.ts';
import { sha256 } from '../../disk/sha256.ts';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { digestComponents } from '../../disk/components-digest.ts';
import { usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { settleByLabels } from '../../pipeline/evaluation/settled-results.ts';
import { subjectLines, subjectsMarkdown } from '../../report/run/subjects-markdown.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Results } from '../../scenario/result.ts';
import { compareSubjects, Comparison } from '../../scenario/statistics/compare-subjects.ts';
import { countUnscored, judgeResults, type ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { worstExit } from '../exit-code.ts';
import {
  getVerdictExitCode,
  playSubject,
  reportRefusal,
  type EvaluationEnd,
  type EvaluationPlan,
} from './play-subject.ts';
import type { NamedSubject } from './named-subjects.ts';
import { readResultsFile } from './read-results-file.ts';

export async function evaluateSubjects(
  subjects: readonly NamedSubject[],
  plan: EvaluationPlan,
): Promise<EvaluationEnd> {
  const { io, scenario, design, components } = plan;
  const digest = await digestComponents(components);
  const identities = await Promise.all(
    subjects.map(async ({ subject }) =>
      sha256(canonicalJson(await identifySubject({ subject, scenarioDir: scenario.dir, version: plan.version }))),
    ),
  );
  const given = Comparison.parse({ version: 1, components: digest, design: design.digest, subjects, identities });
  const dir = plan.out ?? (await chooseComparisonFolder(join(scenario.dir, 'evaluations'), given));
  await beginComparison(dir, given);
  const played: { name: string; results: Results; verdict: ResultsVerdict }[] = [];
  let left = plan.maxUsd;
  for (const one of subjects) {
    const file = join(dir, one.name, 'results.json');
    io.err(`Subject ${one.name}`);
    const earlier = existsSync(file)
      ? await settleByLabels(await readResultsFile(file), { dir: join(dir, one.name) })
      : undefined;
    const before = played.map(({ name }) => join(dir, name));
    const results =
      earlier === undefined || countUnscored(earlier.samples) > 0
        ? await playNamedSubject(one, { ...plan, maxUsd: left }, { dir, before })
        : earlier;
    if ('code' in results) return results;
    left -= results.costUsd;
    played.push({ name: one.name, results, verdict: judgeResults(results, scenario.brief) });
  }
  const compared = compareSubjects(played);
  const markdown = subjectsMarkdown(compared, scenario.brief.title);
  await atomicWrite(join(dir, 'comparison.md'), markdown);
  const code = worstExit(played.map(({ verdict }) => getVerdictExitCode(verdict)));
  // Without the outcome of the comparison, the same command goes on with what an outage left open.
  if (played.every(({ verdict }) => verdict !== 'incomplete')) await writeComparison(dir, { ...given, compared });
  if (plan.json) io.out(JSON.stringify({ folder: dir, ...compared }));
  else {
    for (const line of subjectLines(compared)) io.out(terminalText(line));
    io.out(`Read: ${relative(io.cwd, dir) || '.'}/comparison.md`);
  }
  const judged = played.map(({ name, ...one }) => ({ className: `${scenario.brief.name}.${name}`, ...one }));
  return { code, dir, judged, markdown };
}

/** Returns the end when nothing could be played. */
async function playNamedSubject(
  { name, subject }: NamedSubject,
  plan: EvaluationPlan,
  { dir, before }: { dir: string; before: readonly string[] },
): Promise<Results | EvaluationEnd> {
  const evaluated = await playSubject({ ...plan, out: join(dir, name) }, subject, before);
  if (!('played' in evaluated)) return evaluated;
  const { results, verification } = evaluated.played;
  return results ?? reportRefusal(verification.problems, evaluated.dir, plan);
}

async function beginComparison(dir: string, given: Comparison): Promise<void> {
  const names = await readdir(dir).catch((): string[] => []);
  if (names.length > 0 && !isSame(await readComparison(dir), given))
    throw usageError(`${dir} is there already and holds something else; choose another with --out.`);
  await mkdir(dir, { recursive: true });
  if (names.length === 0) await writeComparison(dir, given);
}

/** Resumes the last comparison when it was interrupted and asks for the same; otherwise takes the next number. */
async function chooseComparisonFolder(parent: string, given: Comparison): Promise<string> {
  const names = await readdir(parent).catch((): string[] => []);
  const last = Math.max(0, ...names.map((name) => Number(/^comparison-([1-9]\d*)$/.exec(name)?.[1] ?? 0)));
  const dir = join(parent, `comparison-${last}`);
  return last > 0 && isSame(await readComparison(dir), given) ? dir : join(parent, `comparison-${last + 1}`);
}

function isSame(found: Comparison | undefined, given: Comparison): boolean {
  return found !== undefined && found.compared === undefined && isDeepStrictEqual(found, given);
}

async function readComparison(dir: string): Promise<Comparison | undefined> {
  const text = await readFile(join(dir, 'comparison.json'), 'utf8').catch(() => '');
  return Comparison.safeParse(parseJson(text)).data;
}

function writeComparison(dir: string, comparison: Comparison): Promise<void> {
  return atomicWrite(join(dir, 'comparison.json'), `${JSON.stringify(comparison, null, 2)}\n`);
}
