/** Creates the message that opens an iteration for Execute: a newly approved design, or the last failures. */
import { SubmitDesign } from '../../agent/tools/schemas.ts';
import { HarnessError } from '../../errors.ts';
import { ReviewPack, type RuleChange } from '../../gate/rules/review-pack.ts';
import { gateId } from '../../gate/rules/gate.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { compareDesigns, readDesignContent } from '../../gate/compare-designs.ts';
import { listOpenLines, readResults } from '../../run-folder/read-results.ts';
import type { StepContext } from '../deps.ts';
import { describeServedTools } from '../evaluation/participants.ts';
import { listAnsweredQuestions } from './approved-rules.ts';
import { approvedTask, nextIterationTask, formatNotes, renderHandoff } from './handoffs.ts';
import { currentDesignDir, designDir, handoffPath, outputDir } from '../../run/layout.ts';

export async function createIterationTask(step: StepContext): Promise<string> {
  const { iterations, round } = step.state;
  return iterations.every((iteration) => iteration.round !== round) ? createFirstTask(step) : createNextTask(step);
}

async function createFirstTask(step: StepContext): Promise<string> {
  const { run, state, brief, deps } = step;
  const { round, iteration } = state;
  const submission = SubmitDesign.loose().parse(
    JSON.parse((await run.read(`${designDir(round)}/submission.json`)) ?? '{}'),
  );
  const pack = ReviewPack.parse(JSON.parse((await run.read(`gates/${gateId(round)}/pack.json`)) ?? '{}'));
  const approvals = state.decisions.filter(
    (decision) => decision.round === round && decision.decision.endsWith('approve'),
  );
  const approvedBy = approvals.map((decision) => decision.actor).join(', ');
  const dir = currentDesignDir(state, round);
  const text = approvedTask(deps.prompts, brief, {
    round,
    designDir: dir,
    iteration,
    approvedBy,
    summary: submission.summary,
    changes: [...pack.since.rules.map(formatChange), ...(await listEditLines(run, round, dir))],
    notes: formatNotes(
      deps.prompts,
      await listAnsweredQuestions(run, state.reviewerNotes, {
        folders: [...new Set([dir, designDir(round)]), 'execution_outputs', 'handoffs'],
        designDir: dir,
      }),
    ),
    servedTools: await describeServedTools(step),
    caps: state.origin.limits,
  });
  const checkpoint = {
    from: 'init',
    to: 'execute',
    round,
    iteration,
    executionOutputDir: outputDir(iteration),
    designDir: dir,
    summary: submission.summary,
    reviewerNotes: state.reviewerNotes.map((note) => `${note.actor}: ${note.comment}`).join('\n'),
    problems: [],
    keyPaths: [dir, outputDir(iteration)],
  };
  await run.write(handoffPath('init', round), renderHandoff(checkpoint, text));
  return text;
}

/** Lists the reviewer's changes to the design that Init had handed in. */
async function listEditLines(run: RunFolder, round: number, dir: string): Promise<string[]> {
  if (dir === designDir(round)) return [];
  const [written, edited] = [await readDesignContent(run, designDir(round)), await readDesignContent(run, dir)];
  const { rules, format } = compareDesigns(written, edited);
  return [
    ...rules.map((change) => `${formatChange(change)} (edited by the reviewer)`),
    ...format.map((line) => `- ${line}`),
  ];
}

function formatChange(change: RuleChange): string {
  const what =
    change.kind === 'changed'
      ? `${change.id} changed: "${change.before ?? ''}" -> "${change.after ?? ''}"`
      : `${change.id} ${change.kind}: ${change.after ?? change.before ?? change.title}`;
  return `- ${what}${change.reason === undefined ? '' : ` (${change.reason})`}`;
}

async function createNextTask({ run, state, brief, deps }: StepContext): Promise<string> {
  const { round, iteration } = state;
  const results = await readResults(run, iteration - 1);
  if (results === undefined)
    throw new HarnessError('data_corrupt', `${outputDir(iteration - 1)}/results.json is missing.`);
  return nextIterationTask(deps.prompts, brief, {
    round,
    designDir: currentDesignDir(state, round),
    iteration,
    passed: results.passed,
    total: results.total,
    successRate: results.successRate,
    caps: state.origin.limits,
    failures: listOpenLines(results, iteration - 1).map((line) => `- ${line}`),
  });
}
