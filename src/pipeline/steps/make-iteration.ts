/** The step `execute.iN`: Execute builds, the harness proves and runs, Execute reads the failures and repairs or returns. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { controlTool, type ControlTool } from '../../agent/tools/control-tool.ts';
import { CloseIteration, ReturnToInit, SubmitIteration } from '../../agent/tools/schemas.ts';
import { HarnessError } from '../../errors.ts';
import type { Attempt, CommittedFolder } from '../../ports/artifacts.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import {
  listUncitedCauses,
  withClaims,
  formatClaim,
  isDisputed,
  namedCauseFaults,
  withNamedCauses,
} from '../../scenario/attribution/named-causes.ts';
import { Layer1Problems, type Layer1Problem, type NamedCause } from '../../scenario/handoff.ts';
import { Results, type Verification } from '../../scenario/result.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { summariseDoubt } from '../../scenario/statistics/judge-results.ts';
import type { StepContext } from '../deps.ts';
import type { Mount } from '../../ports/tools/tool-host.ts';
import { evaluateAttempt } from './evaluate-attempt.ts';
import { COMPONENT_FOLDERS } from '../../disk/components-digest.ts';
import { currentDesignDir, designDir, outputDir } from '../../run/layout.ts';
import { createIterationTask } from './iteration-task.ts';
import { readResults, writeResults } from '../../run-folder/read-results.ts';
import { workStep } from './work-step.ts';
import type { ModelFor } from './step-models.ts';

/** State that the handlers of one iteration share while it is being made. */
type IterationProgress = {
  results: Results | undefined;
  contradicted: Verification | undefined;
  returned: readonly Layer1Problem[] | undefined;
};

export async function makeIteration(step: StepContext): Promise<EventBody> {
  const { run, state, deps } = step;
  const { iteration, round } = state;
  deps.progress({ type: 'phase', phase: 'execute', round, iteration });
  const committed = (await run.artifacts.committed(outputDir(iteration), true)) ?? (await runIterationStep(step));
  const body = await createIterationEvent(step, committed);
  await run.artifacts.discard(`execute.i${iteration}`);
  return body;
}

async function runIterationStep(step: StepContext): Promise<CommittedFolder> {
  const { run, state, deps } = step;
  const { iteration } = state;
  const now: IterationProgress = { results: undefined, contradicted: undefined, returned: undefined };
  const seed =
    iteration === 1
      ? []
      : (await listComponentFolders(run, iteration - 1)).map((name) => ({
          from: `${outputDir(iteration - 1)}/${name}`,
          to: name,
        }));
  return workStep(step, {
    agent: deps.agents.execute,
    name: `execute.i${iteration}`,
    target: outputDir(iteration),
    seed,
    task: { origin: 'harness', text: await createIterationTask(step) },
    mounts: (attempt) => mountsFor(run, state, attempt),
    controls: (attempt, modelFor) => createControls(step, { attempt, modelFor, now }),
    sealed: () => now.results !== undefined || now.returned !== undefined,
    missing: () => describeMissing(now),
  });
}

/** Lists the component folders, without the one of graders where an iteration has none. */
async function listComponentFolders(run: RunFolder, iteration: number): Promise<string[]> {
  const names = await readdir(join(run.dir, outputDir(iteration))).catch((): string[] => []);
  return COMPONENT_FOLDERS.filter((name) => name !== 'graders' || names.includes(name));
}

function describeMissing(now: IterationProgress): string | undefined {
  if (now.results !== undefined || now.returned !== undefined) return undefined;
  return 'the iteration is not evaluated: call submit_iteration until its answer is ok.';
}

function createControls(
  step: StepContext,
  { attempt, modelFor, now }: { attempt: Attempt; modelFor: ModelFor; now: IterationProgress },
): ControlTool[] {
  const { tools } = step.deps.prompts;
  return [
    controlTool(
      { name: 'submit_iteration', description: tools['submit_iteration'] ?? '', schema: SubmitIteration },
      async ({ note }, signal) => {
        if (now.results !== undefined)
          return {
            ok: false,
            problems: [
              'This iteration is evaluated and sealed. Call close_iteration or return_to_init, then end your turn.',
            ],
          };
        const outcome = await evaluateAttempt({ ...step, signal }, attempt, modelFor);
        if (outcome.results !== undefined)
          await recordResults(step.run, attempt, { now, results: outcome.results, note });
        now.contradicted = outcome.contradicted ?? now.contradicted;
        return outcome.answer;
      },
    ),
    controlTool(
      { name: 'close_iteration', description: tools['close_iteration'] ?? '', schema: CloseIteration },
      ({ causes, note }) => closeIteration(step.run, attempt, { now, causes, note }),
    ),
    controlTool(
      { name: 'return_to_init', description: tools['return_to_init'] ?? '', schema: ReturnToInit },
      async ({ problems, causes, summary }) => {
        const others = listUncitedCauses(causes, problems);
        const named = now.results === undefined ? [] : namedCauseFaults(others, now.results);
        const faults = [...findProblemFaults(problems, now), ...named];
        if (faults.length > 0) return { ok: false, problems: faults };
        await attempt.write('layer1_problems.json', `${JSON.stringify({ version: 1, summary, problems }, null, 2)}\n`);
        if (now.results !== undefined) {
          const results = withNamedCauses(withClaims(now.results, problems), others);
          await recordResults(step.run, attempt, { now, results, note: summary });
        }
        now.returned = problems;
        return { ok: true, next: 'Init gets the problems. End your turn with one sentence.' };
      },
    ),
  ];
}

type RecordInput = { now: IterationProgress; results: Results; note: string };

/** Adds notes about an iteration to its results, where reports and the next iteration read them. */
async function recordResults(run: RunFolder, attempt: Attempt, { now, results, note }: RecordInput): Promise<void> {
  const { notes = [] } = results;
  now.results = { ...results, notes: note.trim() === '' || notes.includes(note) ? notes : [...notes, note] };
  await writeResults(run, attempt, now.results);
}

type CloseInput = { now: IterationProgress; causes: readonly NamedCause[]; note: string };

async function closeIteration(run: RunFolder, attempt: Attempt, { now, causes, note }: CloseInput): Promise<unknown> {
  if (now.results === undefined) {
    return { ok: false, problems: ['Nothing is evaluated yet: call submit_iteration until its answer is ok.'] };
  }
  const faults = namedCauseFaults(causes, now.results);
  if (faults.length > 0) return { ok: false, problems: faults };
  await recordResults(run, attempt, { now, results: withNamedCauses(now.results, causes), note });
  const { samples } = now.results;
  const unnamed = samples.filter(({ outcome, claim }) => outcome === 'fail' && claim === undefined);
  return {
    ok: true,
    disputed: samples.filter(isDisputed).map((sample) => `${sample.id}: ${formatClaim(sample)}`),
    unnamed: unnamed.map(({ id }) => id),
    next: 'End your turn with one sentence, or name what is missing or disputed again.',
  };
}

/** Lets Execute write the components of this iteration; results, traces and all other folders are read-only. */
function mountsFor(run: RunFolder, state: RunState, attempt: Attempt): Mount[] {
  const own = outputDir(state.iteration);
  const approved = currentDesignDir(state, state.round);
  // The edited design also appears under the round's own name, so that the replaced text is not built.
  const names = [...new Set([approved, designDir(state.round)])];
  return [
    ...names.map((logical) => ({ logical, physical: join(run.dir, approved), writable: false })),
    { logical: 'execution_outputs', physical: join(run.dir, 'execution_outputs'), writable: false },
    { logical: 'handoffs', physical: join(run.dir, 'handoffs'), writable: false },
    { logical: own, physical: attempt.out, writable: false },
    ...COMPONENT_FOLDERS.map((name) => ({
      logical: `${own}/${name}`,
      physical: join(attempt.out, name),
      writable: true,
    })),
  ];
}

/** The event is made from the committed folder, so that a crash between commit and append loses nothing. */
async function createIterationEvent({ run, state, deps }: StepContext, committed: CommittedFolder): Promise<EventBody> {
  const { iteration, round } = state;
  const results = await readResults(run, iteration);
  const text = await run.read(`${outputDir(iteration)}/layer1_problems.json`);
  const returned = text === undefined ? undefined : Layer1Problems.parse(JSON.parse(text));
  if (results === undefined && returned === undefined) {
    throw new HarnessError('data_corrupt', `${committed.dir} holds neither results.json nor layer1_problems.json.`);
  }
  const designDigest = state.status === 'executing' ? state.designDigest : '';
  if (results !== undefined && results.designDigest !== designDigest) {
    throw new HarnessError(
      'data_corrupt',
      `${committed.dir}/results.json was judged under another design (${results.designDigest}); it is refused, not mixed.`,
    );
  }
  const facts = {
    iteration,
    round,
    designDigest,
    successRate: results?.successRate ?? 0,
    lowerBound: results?.interval[0] ?? 0,
    passed: results?.passed ?? 0,
    total: results?.total ?? 0,
    unscored: results?.unscored ?? 0,
    ...(results === undefined ? {} : summariseDoubt(results, state.origin.limits)),
    layers: results?.layers ?? { '1': returned?.problems.length ?? 0, '2': 0, '3': 0, '4': 0 },
    outputDir: outputDir(iteration),
  };
  const { successRate, passed, total, layers, verdict, passedRange } = facts;
  const interval = results?.interval ?? ([0, 1] satisfies [number, number]);
  const rate = { successRate, passed, total, interval, layers, ...omitUndefined({ verdict, passedRange }) };
  deps.progress({ type: 'iteration', iteration, round, ...rate, returned: returned !== undefined });
  return returned === undefined
    ? { type: 'iteration.done', ...facts }
    : { type: 'design.returned', ...facts, problems: returned.problems };
}

const NO_PROBLEM_SHOWN =
  'Nothing shows a problem of the design yet. Two rules that demand different things of one case are shown by a sample of that case: ' +
  'it covers both rules and lists a checker of each, its gold satisfies the one and its wrong path the other; submit_iteration then ' +
  'finds the contradiction before anything is played. Else call submit_iteration until the samples have run, and cite those that failed.';

/** Returns sentences for the agent; empty when the problems may be returned to Init. */
export function findProblemFaults(
  problems: readonly Layer1Problem[],
  { results, contradicted }: Pick<IterationProgress, 'results' | 'contradicted'>,
): string[] {
  const verification = results?.verification ?? contradicted;
  if (verification === undefined) return [NO_PROBLEM_SHOWN];
  return problems.flatMap((problem) => [
    ...problem.samples.flatMap((id) => findSampleFaults(id, verification, results)),
    ...problem.rules
      .filter((rule) => verification.coverage[rule] === undefined)
      .map((rule) => `Problem "${problem.title}": ${rule} is no rule of this design.`),
  ]);
}

function findSampleFaults(id: string, { proofs }: Verification, results: Results | undefined): string[] {
  const sample = results?.samples.find((candidate) => candidate.id === id);
  const exists = sample !== undefined || proofs.some((proof) => proof.sample === id);
  if (!exists) return [`There is no sample "${id}" in this iteration.`];
  if (sample === undefined) return [];
  return sample.outcome === 'fail' ? [] : [`Sample "${id}" did not fail (${sample.outcome}), so it shows no problem.`];
}
