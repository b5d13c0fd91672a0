/** `tandem evaluate <scenario>`: the scenario's subject plays existing components, without agents and gates. */
import { relative } from 'node:path';
import type { ScenarioEvaluated } from '../../app/evaluation/evaluate-scenario.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { describeBatchPrices, formatCount } from '../../report/text/number-format.ts';
import { clipText, terminalText } from '../../report/text/sanitise.ts';
import { listResultNotes } from '../../report/run/run-outcome.ts';
import { graderLines } from '../../report/run/graders-markdown.ts';
import type { Brief } from '../../scenario/brief.ts';
import type { Results } from '../../scenario/result.ts';
import {
  countPassedRange,
  countUnscored,
  isSampleDisputed,
  judgeResults,
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
  if (json)
    io.out(
      JSON.stringify({
        ...{ folder: dir, played: true, passed, total, unscored, successRate, interval, target: brief.target },
        ...{ met: verdict === 'met', verdict, costUsd, simulated, sandbox, leftOut },
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

/** Returns `16`, or `16 to 17` where doubtful verdicts leave it open. */
function describePassed({ samples }: Results): string {
  const { low, high } = countPassedRange(samples);
  return low === high ? `${low}` : `${low} to ${high}`;
}

/** Names each doubtful sample with its first doubt. */
function listDisputes({ samples }: Results): string[] {
  return samples
    .filter(isSampleDisputed)
    .map(({ id, trials }) => `${id}: ${trials.flatMap(({ disputed = [] }) => disputed)[0]?.text}`);
}

function describeMissing(samples: Results['samples']): string {
  return `${formatCount(countUnscored(samples), 'trial')} without a verdict: the same command plays only what is missing.`;
}

function summaryLines(
  results: Results,
  { target, gate }: Brief,
  { verdict, place }: { verdict: ResultsVerdict; place: string },
): string[] {
  const { total, unscored, interval, successRate, samples, simulated, costUsd } = results;
  const failed = samples.filter(({ outcome }) => outcome === 'fail').length;
  const from = interval.map((bound) => formatPercent(bound)).join(' to ');
  return [
    ...(simulated ? ['SIMULATED: every model answer came from the offline model.'] : []),
    `${describePassed(results)} of ${total} samples pass (${formatPercent(successRate)}, 95 % interval ${from}), ${failed} fail, ${unscored} unscored; $${costUsd.toFixed(2)}`,
    ...reasonsUnscored(results).map((why) => `Unscored: ${clipText(why, MOST_OF_A_REASON)}`),
    `Target ${formatPercent(target)} (${gate === 'rate' ? 'rate' : 'lower bound'}): ${verdict}`,
    ...(verdict === 'incomplete' ? [describeMissing(samples)] : []),
    ...listDisputes(results).map((line) => `Disputed: ${clipText(line, MOST_OF_A_REASON)}`),
    ...listResultNotes(results).map(({ title, text }) => `${title}: ${text}`),
    ...(results.graders ?? []).flatMap((grader) => graderLines(grader).slice(0, 1)),
    `Read: ${place}/report.md`,
    `Judge again without a model: tandem rejudge ${place}   Numbers: tandem statistics ${place}`,
  ];
}
