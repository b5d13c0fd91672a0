/** Creates the message that opens a round for Init: the brief, Execute's problems, or a reviewer's request. */
import { parseOrNone } from '../../disk/parse-file.ts';
import { Layer1Problems } from '../../scenario/handoff.ts';
import type { RoundReason, RunState } from '../../run/state.ts';
import type { StepContext } from '../deps.ts';
import { describeServedTools } from '../evaluation/served-tools.ts';
import { listAnsweredQuestions, type ReadableFolders } from './answered-questions.ts';
import { briefTask, changesRequestedTask, formatNotes, renderHandoff, returnedTask } from './handoffs.ts';
import { currentDesignDir, designDir, handoffPath, outputDir } from '../../run/layout.ts';

/** Folders of the run that Init reads, in addition to the design that it writes. */
export const READABLE_BY_INIT = ['scenario', 'design', 'execution_outputs', 'handoffs'];

export type RoundTask = { origin: 'human' | 'harness'; text: string };

export async function createDesignTask(step: StepContext): Promise<RoundTask> {
  const { run, state, brief, deps } = step;
  const { reason, round, iteration } = state;
  switch (reason.kind) {
    case 'first':
      return {
        origin: 'harness',
        text: briefTask(deps.prompts, brief, { round, servedTools: await describeServedTools(step) }),
      };
    case 'changes_requested': {
      const [comment = reason] = await listAnsweredQuestions(run, [reason], getReadable(state));
      const facts = { ...comment, round, iteration, caps: state.origin.limits };
      return { origin: 'human', text: changesRequestedTask(deps.prompts, facts) };
    }
    case 'returned':
      return { origin: 'harness', text: await handBack(step, reason) };
    default:
      return reason satisfies never;
  }
}

/** The reviewer's words refer to the newest committed design. */
function getReadable(state: RunState): ReadableFolders {
  return { folders: READABLE_BY_INIT, designDir: currentDesignDir(state, state.round - 1) };
}

type Returned = Extract<RoundReason, { kind: 'returned' }>;

/** Writes the message to Init as a hand-off file too, like everything that the agents exchange (S0.21, C.6). */
async function handBack({ run, state, deps }: StepContext, { iteration, problems }: Returned): Promise<string> {
  const { round, reviewerNotes } = state;
  const last = state.iterations.find((one) => one.iteration === iteration);
  const from = last?.round ?? round - 1;
  const text = returnedTask(deps.prompts, {
    round,
    iteration,
    passed: last?.passed ?? 0,
    total: last?.total ?? 0,
    problems,
    summary: await readSummary(run, iteration),
    notes: formatNotes(deps.prompts, await listAnsweredQuestions(run, reviewerNotes, getReadable(state))),
    caps: state.origin.limits,
  });
  const checkpoint = {
    version: 1 as const,
    kind: 'handoff' as const,
    from: 'execute',
    to: 'init',
    round: from,
    iteration,
    executionOutputDir: outputDir(iteration),
    designDir: designDir(from),
    summary: problems.map((problem) => problem.title).join('; '),
    problems: [...problems],
    keyPaths: [outputDir(iteration), designDir(from)],
  };
  await run.write(handoffPath('execute', from), renderHandoff(checkpoint, text));
  return text;
}

async function readSummary(run: StepContext['run'], iteration: number): Promise<string> {
  const text = await run.read(`${outputDir(iteration)}/layer1_problems.json`);
  return (text === undefined ? undefined : parseOrNone(Layer1Problems, text)?.summary) ?? '';
}
