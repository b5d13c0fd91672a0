/** `tandem evaluate <scenario>`: the scenario's subject plays existing components, without agents and gates. */
import { basename, relative } from 'node:path';
import type { ScenarioEvaluated } from '../../app/evaluation/evaluate-scenario.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { describeBatchPrices } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { listAgainst, listResultNotes } from '../../report/run/run-outcome.ts';
import { renderIterationMarkdown } from '../../report/run/iteration-markdown.ts';
import { renderEvaluationJUnit, renderUnplayedJUnit } from '../../report/run/results-junit.ts';
import { renderEvaluation } from '../../report/run/status.ts';
import { judgeResults, summariseDoubt } from '../../scenario/statistics/judge-results.ts';
import { reportResults, type ReportedResults } from '../ci/report-results.ts';
import type { Call } from '../command-context.ts';
import { evaluateSubjects } from './evaluate-subjects.ts';
import { namedSubjects, type NamedSubject } from './named-subjects.ts';
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
    const subjects = await namedSubjects(options.subject ?? [], call.io.cwd);
    const plan = await planEvaluation(name, options, call);
    const end = await (subjects.length > 1 ? evaluateSubjects(subjects, plan) : evaluateSubject(subjects[0], plan));
    return toReportedResults(end, plan);
  });
}

async function evaluateSubject(subject: NamedSubject | undefined, plan: EvaluationPlan): Promise<EvaluationEnd> {
  const evaluated = await playSubject(plan, subject?.subject);
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

function reportEvaluation(
  { verification, results, leftOut, batches }: ScenarioEvaluated,
  plan: EvaluationPlan,
  dir: string,
): EvaluationEnd {
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
    for (const line of renderEvaluation(results, brief, { verdict, place: relative(io.cwd, dir) || '.' }))
      io.out(terminalText(line));
  if (batches !== undefined) io.err(describeBatchPrices(batches));
  if (leftOut.length > 0) io.err(`Not played, because they do not prove themselves: ${leftOut.join(', ')}`);
  const judged = [{ className: plan.scenario.brief.name, results, verdict }];
  const markdown = renderIterationMarkdown(results, undefined, { folder: dir });
  return { code: getVerdictExitCode(verdict), dir, judged, markdown };
}
