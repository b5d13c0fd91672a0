/** `tandem evaluate <scenario>`: the scenario's subject plays existing components, without agents and gates. */
import { basename, relative } from 'node:path';
import type { ScenarioEvaluated } from '../../app/evaluation/evaluate-scenario.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { renderIterationMarkdown } from '../../report/run/iteration-markdown.ts';
import { renderEvaluationJUnit, renderUnplayedJUnit } from '../../report/run/results-junit.ts';
import { renderEvaluation } from '../../report/run/status.ts';
import { explainUnmet, judgeResults } from '../../scenario/statistics/judge-results.ts';
import { describeJudged, toVerdictJson } from './verdict-line.ts';
import { listUnfinished } from '../../report/run/annotations.ts';
import { reportResults, type ReportedResults } from '../ci/report-results.ts';
import type { Call } from '../command-context.ts';
import {
  readNamedSubject,
  type NamedSubject,
  VERDICT_EXIT,
  planEvaluation,
  playSubject,
  reportRefusal,
  type EvaluateOptions,
  type EvaluationEnd,
  type EvaluationPlan,
} from './play-subject.ts';

export async function evaluateCommand(name: string, options: EvaluateOptions, call: Call): Promise<number> {
  return reportResults(options, { getName: () => basename(name), io: call.io }, async () => {
    const subject = await readNamedSubject(options.subject ?? [], call.io.cwd);
    const plan = await planEvaluation(name, options, call);
    return toReportedResults(await evaluateSubject(plan, subject), plan);
  });
}

/** Plays, and prints the end. */
export async function evaluateSubject(plan: EvaluationPlan, subject?: NamedSubject): Promise<EvaluationEnd> {
  const { played, dir } = await playSubject(plan, subject);
  return reportEvaluation(played, plan, dir);
}

function toReportedResults(ended: EvaluationEnd, plan: EvaluationPlan): ReportedResults {
  const { judged, why, ...end } = ended;
  const { name } = plan.scenario.brief;
  const results = judged.map((one) => one.results);
  const [only] = judged.length === 1 ? judged : [];
  return {
    ...{ ...end, results, components: plan.components },
    unfinished: listUnfinished(name, ended),
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
  { verification, results, leftOut }: ScenarioEvaluated,
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
      }),
    );
  else {
    const judged = describeJudged(verdict, explainUnmet(results, brief));
    const place = relative(io.cwd, dir) || '.';
    for (const line of renderEvaluation(results, brief, { verdict, judged, place })) io.out(terminalText(line));
  }
  if (leftOut.length > 0) io.err(`Not played, because they do not prove themselves: ${leftOut.join(', ')}`);
  const judged = [{ className: plan.scenario.brief.name, results, verdict }];
  const markdown = renderIterationMarkdown(results, undefined, { folder: dir });
  return { code: VERDICT_EXIT[verdict], dir, judged, markdown };
}
