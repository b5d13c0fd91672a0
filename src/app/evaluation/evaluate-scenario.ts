/** Evaluates given components and their design without agents, with the subject that the scenario names. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { HarnessError, isHarnessError, leaveOutRemedy } from '../../errors.ts';
import type { Components } from '../../evaluation/components/components.ts';
import { evaluate, type SampleDone } from '../../evaluation/evaluate.ts';
import type { DoneTrial } from '../../evaluation/trial/run-trial.ts';
import { proofUsd } from '../../evaluation/collect-results.ts';
import { listedGraders, withProvenGraders } from '../../evaluation/graders/prove-graders.ts';
import { goldLines } from '../../evaluation/proof/gold-lines.ts';
import { loadInSession } from '../../evaluation/components/load-components.ts';
import { openSessions } from '../../evaluation/components/open-sessions.ts';
import type { EvaluationFolder } from '../../pipeline/evaluation/evaluation-folder.ts';
import { tracedTrial } from '../../pipeline/spans.ts';
import { castParticipants } from '../../pipeline/evaluation/participants.ts';
import type { Progress } from '../../ports/progress.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';
import { renderIterationMarkdown } from '../../report/run/iteration-markdown.ts';
import type { Brief } from '../../scenario/brief.ts';
import { listUserTools, type Design } from '../../scenario/design.ts';
import type { Results, Verification } from '../../scenario/result.ts';
import { countUnscored } from '../../scenario/statistics/judge-results.ts';
import { subjectHosts } from '../open-subjects.ts';
import { openModelAccess, type ModelAccess, type ScenarioModels } from '../models/open-model-access.ts';
import type { ProjectSetup } from '../models/open-models.ts';
import { createEvaluationModels } from './evaluation-models.ts';
import { findDescriptor, listDescriptions } from './evaluate-with.ts';
import { NO_PRICE } from '../../ports/model.ts';

export type ScenarioToEvaluate = ProjectSetup & {
  scenario: Scenario;
  design: Design;
  folder: EvaluationFolder;
  sandbox: Sandbox;
  /** With `gold`, each sample's gold path replaces the subject, and no model is called. */
  subject: 'gold' | undefined;
  /** The most samples to play, sorted by id. */
  limit: number;
  /** Trials of each sample, in place of what the scenario and its samples say. */
  trials?: number | undefined;
  /** Plays the proven samples even when others are not proven. */
  provenOnly: boolean;
  /** The cost limit of all trials together in US dollars; trials in flight are finished. */
  maxUsd: number;
  listener: {
    progress: Progress;
    proving: () => void;
    playing: (where: { simulated: boolean; endpoint: string | undefined }) => void;
    sample: (done: SampleDone) => void;
  };
  signal: AbortSignal;
};

/** Without results, the components were not proven and nothing was played. */
export type ScenarioEvaluated = {
  verification: Verification;
  results?: Results;
  /** Ids of samples that were not proven, and so not played. */
  leftOut: string[];
};

/** Contract: `budget_exceeded` at the cost limit; then, and after an abort, another call continues in the same folder. */
export async function evaluateScenario(input: ScenarioToEvaluate): Promise<ScenarioEvaluated> {
  const { folder, design, scenario, sandbox, listener, signal } = input;
  const session = await openSessions(sandbox, folder.dir);
  try {
    // A server of tools may describe them otherwise today.
    const known = scenario.brief.tools === undefined ? folder.proof?.described : undefined;
    const loaded = await loadInSession(findDescriptor({ described: known ?? {} }, session), folder.dir, signal);
    if (folder.proof === undefined) listener.proving();
    const demands = { design, samplesWanted: scenario.brief.samples.min, signal };
    // The largest part of an evaluation's code is loaded only where no earlier proof holds.
    const byCode =
      folder.proof?.verification ??
      (await (await import('../../evaluation/proof/verify-components.ts')).verifyLoaded(loaded, demands, session));
    const unproven = new Set(byCode.problems.flatMap(({ sample }) => sample ?? []));
    const leftOut = input.provenOnly ? [...unproven].toSorted() : [];
    const samples = loaded.components.samples
      .filter(({ sample }) => !leftOut.includes(sample.id))
      .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
      .slice(0, input.limit)
      .map((one) => (input.trials === undefined ? one : { ...one, sample: { ...one.sample, trials: input.trials } }));
    if (!byCode.ok && (!isRestProven(byCode, leftOut) || samples.length === 0))
      return { verification: byCode, leftOut };
    const proof = { verification: byCode, described: listDescriptions(loaded.components) };
    if (byCode.ok) await folder.remember(proof);
    const components = { ...loaded.components, samples: input.subject === 'gold' ? withoutGraders(samples) : samples };
    const access = await openModelAccess({ ...input, progress: listener.progress });
    const name = `${scenario.brief.name}/evaluations/${basename(folder.dir)}`;
    try {
      return await access.telemetry.forFolder({ name, birth: randomUUID() }, () =>
        playProven({ input, access, session, components, byCode, leftOut }),
      );
    } catch (error) {
      if (!isHarnessError(error, 'budget_exceeded')) throw error;
      throw nameWayOn(error, folder.dir);
    } finally {
      await access.close();
    }
  } finally {
    await session.close();
  }
}

type ProvenEvaluation = {
  input: ScenarioToEvaluate;
  access: ModelAccess;
  session: OpenSandbox;
  components: Components;
  byCode: Verification;
  leftOut: string[];
};

async function playProven(proven: ProvenEvaluation): Promise<ScenarioEvaluated> {
  const { input, access, session, components, byCode, leftOut } = proven;
  const { folder, design, sandbox, listener, signal } = input;
  const models = await openNeededModels(input, access, components);
  const participants = await participantsFor(input, { models, access }, components);
  const { grading } = participants;
  const earlier = folder.proof?.verification.graders;
  const verification = await withProvenGraders(byCode, { components, design, session, grading, earlier, signal });
  if (byCode.ok && !verification.ok) return { verification, leftOut };
  if (verification.graders !== undefined)
    await folder.remember({ verification, described: listDescriptions(components) });
  const traced = tracedTrial(access.telemetry, 1);
  const capped = withinBudget(input.maxUsd, proofUsd(verification));
  const results = await evaluate({
    ...participants,
    ...{ dir: folder.dir, design, verification, components, sandbox, session },
    ...{ iteration: 1, round: design.round, memory: folder.memory, componentsDigest: folder.componentsDigest },
    scenario: input.scenario.brief.name,
    subjectDigest: folder.subject === undefined ? undefined : sha256(canonicalJson(folder.subject)),
    concurrency: input.config.samples_in_parallel,
    judgeAgain: input.config.judge_again,
    recordsCalls: input.config.record_calls,
    simulated: models?.simulated ?? false,
    aroundTrial: (sample, trial, work) => capped(sample, trial, () => traced(sample, trial, work)),
    onSample: (one) => {
      listener.sample(one);
      // The trials judged again take over the host of this session, whose memory is made anew for each call.
      if (one.done === one.total) void session.close();
    },
    now: () => performance.now(),
    signal,
  });
  await writeFile(join(folder.dir, 'report.md'), renderIterationMarkdown(results, undefined, { folder: folder.dir }));
  if (countUnscored(results.samples) === 0) await folder.finish();
  return { verification, results, leftOut };
}

/** True when the other problems only report missing samples. */
function isRestProven({ problems }: Verification, leftOut: readonly string[]): boolean {
  return problems.every(
    ({ sample, code }) => code === 'too-few-samples' || (sample !== undefined && leftOut.includes(sample)),
  );
}

/** A subject and a user that are no models need neither key nor scripts. */
async function openNeededModels(
  input: ScenarioToEvaluate,
  access: ModelAccess,
  components: Components,
): Promise<ScenarioModels | undefined> {
  const { listener, scenario, signal } = input;
  const { subject, user } = scenario.brief;
  const isPlayed =
    input.subject === undefined && (subject.kind === 'model' || user.simulator === 'model' || user.model !== undefined);
  const isNeeded = isPlayed || listedGraders(components).length > 0;
  const models = isNeeded ? await access.open({ scenario, signal }) : undefined;
  listener.playing({ simulated: models?.simulated ?? false, endpoint: models?.endpoint });
  return models;
}

async function participantsFor(
  { home, scenario, design, folder, subject, maxUsd, signal }: ScenarioToEvaluate,
  { models, access }: { models: ScenarioModels | undefined; access: ModelAccess },
  { samples }: Components,
) {
  if (subject === 'gold') return { ...goldParticipants(scenario.brief, design, samples), grading: undefined };
  const catalogue = models?.catalogue ?? { describe: noModel };
  const base = { catalogue, simulated: models?.simulated ?? true };
  const deps = { ...base, prompts: await loadPrompts(home), subjects: subjectHosts(home) };
  const place = { dir: join(scenario.dir, 'evaluations', folder.componentsDigest) };
  return castParticipants({
    run: place,
    brief: scenario.brief,
    modelFor:
      models === undefined ? noModel : createEvaluationModels({ ...access, model: models.model, folder, maxUsd }),
    deps,
    signal,
  });
}

function noModel(): never {
  throw new HarnessError('config_invalid', 'This scenario names no model.');
}

/** Removes graders, because gold paths are played without a model; the proof asks the graders about gold. */
function withoutGraders(samples: Components['samples']): Components['samples'] {
  return samples.map((loaded) => {
    const { graders: _graders, ...sample } = loaded.sample;
    return { ...loaded, sample };
  });
}

function goldParticipants(brief: Brief, { format }: Design, samples: Components['samples']) {
  const userTools = listUserTools(format);
  const played = new Map(samples.map(({ sample }) => [sample.id, goldLines(sample, userTools)]));
  const { max_steps, seconds, max_tokens } = brief.subject;
  return {
    brief: { ...brief, subject: { kind: 'recorded' as const, traces: 'gold paths', max_steps, seconds, max_tokens } },
    recording: (sample: string) => Promise.resolve(played.get(sample)),
    modelFor: noModel,
    price: NO_PRICE,
    maxTokens: max_tokens,
  };
}

/** `spent` is the cost in US dollars of proving the graders before the first trial. */
function withinBudget(maxUsd: number, spent: number) {
  let spentUsd = spent;
  return async (_sample: string, _trial: number, work: () => Promise<DoneTrial>): Promise<DoneTrial> => {
    if (spentUsd >= maxUsd)
      throw new HarnessError('budget_exceeded', `$${spentUsd.toFixed(2)} of $${maxUsd} are spent.`);
    const done = await work();
    spentUsd += done.result.costUsd;
    return done;
  };
}

/** A reservation's advice is for runs and does not fit here. */
function nameWayOn(cause: HarnessError, dir: string): HarnessError {
  const advice = `Finished trials are stored in ${dir}: the same command with a higher --max-usd, or --budget of a batch, goes on.`;
  const message = `${leaveOutRemedy(cause.message)} ${advice}`;
  return new HarnessError('budget_exceeded', message, { details: { dir }, cause });
}
