/** `tandem evaluate <scenario>`: the scenario's subject plays existing components, without agents and gates. */
import { basename, relative } from 'node:path';
import type { ScenarioEvaluated } from '../../app/evaluation/evaluate-scenario.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { describeBatchPrices, formatCount } from '../../report/text/number-format.ts';
import { clipText, terminalText } from '../../report/text/sanitise.ts';
import { describeAgainst, formatPlace, listResultNotes } from '../../report/run/run-outcome.ts';
import { renderIterationMarkdown } from '../../report/run/iteration-markdown.ts';
import { renderEvaluationJUnit, renderUnplayedJUnit } from '../../report/run/results-junit.ts';
import { graderLines } from '../../report/run/graders-markdown.ts';
import type { Brief } from '../../scenario/brief.ts';
import type { Results } from '../../scenario/result.ts';
import {
  countUnscored,
  describePassed,
  explainUnmet,
  judgeResults,
  type ResultsVerdict,
} from '../../scenario/statistics/judge-results.ts';
import { describeJudged, toVerdictJson } from './verdict-line.ts';
import { reportResults, type ReportedResults } from '../ci/report-results.ts';
import type { Call } from '../command-context.ts';
import { readNamedSubject, type NamedSubject } from './named-subject.ts';
import {
  getVerdictExitCode,
  planEvaluation,
  playSubject,
  reportRefusal,
  type EvaluateOptions,
  type EvaluationEnd,
  type EvaluationPlan,
} from './play-subject.ts';

export async function evaluateCommand(name: string, options: EvaluateOptions, call: Call): Promise<number> {
  return reportResults(options, { name: basename(name), io: call.io }, async () => {
    const subject = await readNamedSubject(options.subject ?? [], call.io.cwd);
    const plan = await planEvaluation(name, options, call);
    return toReportedResults(await evaluateSubject(plan, subject), plan);
  });
}

/** Plays, and prints the end. */
export async function evaluateSubject(plan: EvaluationPlan, subject?: NamedSubject): Promise<EvaluationEnd> {
  const evaluated = await playSubject(plan, subject);
  return 'played' in evaluated ? reportEvaluation(evaluated.played, plan, evaluated.dir) : evaluated;
}

function toReportedResults({ judged, why, ...end }: EvaluationEnd, plan: EvaluationPlan): ReportedResults {
  const { name } = plan.scenario.brief;
  const results = judged.map((one) => one.results);
  const [only] = judged.length === 1 ? judged : [];
  return {
    ...{ ...end, results, components: plan.components },
    junit: why === undefined ? renderEvaluationJUnit(name, judged) : renderUnplayedJUnit(name, why),
    outputs: {
      ...{ scenario: name, verdict: only?.verdict, passed: only?.results.passed, total: only?.results.total },
      ...{ unscored: only?.results.unscored, success_rate: only?.results.successRate, target: only?.results.target },
      cost_usd: results.reduce((sum, { costUsd }) => sum + costUsd, 0),
      simulated: results.some(({ simulated }) => simulated),
    },
  };
}

/** Prints the end of an evaluation that was played, now or before. */
export function reportEvaluation(
  { verification, results, leftOut, batches }: ScenarioEvaluated,
  plan: EvaluationPlan,
  dir: string,
): EvaluationEnd {
  if (results === undefined) return reportRefusal(verification.problems, dir, plan);
  const { io, json } = plan;
  const { brief } = plan.scenario;
  const verdict = judgeResults(results, brief);
  const { passed, total, unscored, successRate, interval, costUsd, simulated, sandbox } = results;
  if (json)
    io.out(
      JSON.stringify({
        ...{ folder: dir, played: true, ...toVerdictJson(results) },
        ...{ passed, total, unscored, successRate, interval, target: brief.target },
        ...{ met: verdict === 'met', costUsd, simulated, sandbox, leftOut },
        ...(batches && { batches: { ...batches, liveUsd: batches.usd * 2 } }),
      }),
    );
  else
    for (const line of summaryLines(results, brief, { verdict, place: relative(io.cwd, dir) || '.' }))
      io.out(terminalText(line));
  if (batches !== undefined) io.err(describeBatchPrices(batches));
  if (leftOut.length > 0) io.err(`Not played, because they do not prove themselves: ${leftOut.join(', ')}`);
  const judged = [{ className: plan.scenario.brief.name, results, verdict }];
  const markdown = renderIterationMarkdown(results, undefined, { folder: dir });
  return { code: getVerdictExitCode(verdict), dir, judged, markdown };
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
  brief: Brief,
  { verdict, place }: { verdict: ResultsVerdict; place: string },
): string[] {
  const { target, gate } = brief;
  const notes = listResultNotes(results);
  const against = describeAgainst(notes);
  const { total, unscored, interval, successRate, samples, simulated, costUsd } = results;
  const failed = samples.filter(({ outcome }) => outcome === 'fail').length;
  const from = interval.map((bound) => formatPercent(bound)).join(' to ');
  return [
    ...(simulated ? ['SIMULATED: every model answer came from the offline model.'] : []),
    `${describePassed(samples)} of ${total} samples pass (${formatPercent(successRate)}, 95 % interval ${from}), ${failed} fail, ${unscored} unscored; $${costUsd.toFixed(2)}`,
    `Target ${formatPercent(target)} (${gate === 'rate' ? 'rate' : 'lower bound'}): ${describeJudged(verdict, explainUnmet(results, brief))}`,
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
