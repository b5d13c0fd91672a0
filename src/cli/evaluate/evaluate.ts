/** `tandem evaluate <scenario>`: the scenario's subject plays existing components, without agents and gates. */
import { relative } from 'node:path';
import type { ScenarioEvaluated } from '../../app/evaluation/evaluate-scenario.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { describeBatchPrices, formatCount } from '../../report/text/number-format.ts';
import { clipText, terminalText } from '../../report/text/sanitise.ts';
import { describeAgainst, formatPlace, listAgainst, listResultNotes } from '../../report/run/run-outcome.ts';
import { graderLines } from '../../report/run/graders-markdown.ts';
import type { Brief } from '../../scenario/brief.ts';
import type { Results } from '../../scenario/result.ts';
import {
  countUnscored,
  describePassed,
  judgeResults,
  summariseDoubt,
  type ResultsVerdict,
} from '../../scenario/statistics/judge-results.ts';
import type { Call } from '../command-context.ts';
import { evaluateSubjects } from './evaluate-subjects.ts';
import { namedSubjects } from './named-subjects.ts';
import {
  getVerdictExitCode,
  planEvaluation,
  playSubject,
  reportRefusal,
  type EvaluateOptions,
  type EvaluationPlan,
} from './play-subject.ts';

export async function evaluateCommand(name: string, options: EvaluateOptions, call: Call): Promise<number> {
  const subjects = await namedSubjects(options.subject ?? [], call.io.cwd);
  const plan = await planEvaluation(name, options, call);
  if (subjects.length > 1) return evaluateSubjects(subjects, plan);
  const evaluated = await playSubject(plan, subjects[0]?.subject);
  return typeof evaluated === 'number' ? evaluated : reportEvaluation(evaluated.played, plan, evaluated.dir);
}

function reportEvaluation(
  { verification, results, leftOut, batches }: ScenarioEvaluated,
  plan: EvaluationPlan,
  dir: string,
): number {
  if (results === undefined) return reportRefusal(verification.problems, dir, plan);
  const { io, json } = plan;
  const { brief } = plan.scenario;
  const verdict = judgeResults(results, brief);
  const { passed, total, unscored, successRate, interval, costUsd, simulated, sandbox } = results;
  const against = listAgainst(listResultNotes(results));
  const { passedRange } = summariseDoubt(results, brief);
  if (json)
    io.out(
      JSON.stringify({
        ...{ folder: dir, played: true, verdict },
        ...(against.length === 0 ? {} : { against }),
        ...{ passed, total, unscored, ...omitUndefined({ passedRange }), successRate, interval, target: brief.target },
        ...{ met: verdict === 'met', costUsd, simulated, sandbox, leftOut },
        ...(batches && { batches: { ...batches, liveUsd: batches.usd * 2 } }),
      }),
    );
  else
    for (const line of summaryLines(results, brief, { verdict, place: relative(io.cwd, dir) || '.' }))
      io.out(terminalText(line));
  if (batches !== undefined) io.err(describeBatchPrices(batches));
  if (leftOut.length > 0) io.err(`Not played, because they do not prove themselves: ${leftOut.join(', ')}`);
  return getVerdictExitCode(verdict);
}

const MOST_OF_A_REASON = 300;

/** Lists each reason once: an endpoint that is down gives the same reason for every sample. */
function reasonsUnscored({ samples }: Results): string[] {
  const unscored = samples.filter(({ outcome }) => outcome === 'unscored');
  return [...new Set(unscored.flatMap(({ why }) => why))].slice(0, 3);
}

function describeMissing(samples: Results['samples']): string {
  return `${formatCount(countUnscored(samples), 'trial')} without a verdict: the same command plays only what is missing.`;
}

function summaryLines(
  results: Results,
  { target, gate }: Brief,
  { verdict, place }: { verdict: ResultsVerdict; place: string },
): string[] {
  const notes = listResultNotes(results);
  const against = describeAgainst(notes);
  const { total, unscored, interval, successRate, samples, simulated, costUsd } = results;
  const failed = samples.filter(({ outcome }) => outcome === 'fail').length;
  const from = interval.map((bound) => formatPercent(bound)).join(' to ');
  return [
    ...(simulated ? ['SIMULATED: every model answer came from the offline model.'] : []),
    `${describePassed(samples)} of ${total} samples pass (${formatPercent(successRate)}, 95 % interval ${from}), ${failed} fail, ${unscored} unscored; $${costUsd.toFixed(2)}`,
    `Target ${formatPercent(target)} (${gate === 'rate' ? 'rate' : 'lower bound'}): ${verdict}`,
    ...(against === undefined ? [] : [against]),
    ...(verdict === 'incomplete' ? [describeMissing(samples)] : []),
    ...reasonsUnscored(results).map((why) => `Unscored: ${clipText(why, MOST_OF_A_REASON)}`),
    ...notes.flatMap(({ title, text, items = [] }) => [
      `${title}: ${text}`,
      ...items.map(
        (item) => `  ${clipText(item.text, MOST_OF_A_REASON)} (${place}/${formatPlace(item.path, item.line)})`,
      ),
    ]),
    ...(results.graders ?? []).flatMap((grader) => graderLines(grader).slice(0, 1)),
    `Read: ${place}/report.md`,
    `Judge again without a model: tandem rejudge ${place}   Numbers: tandem statistics ${place}`,
  ];
}
