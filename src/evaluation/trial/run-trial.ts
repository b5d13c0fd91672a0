/** One trial from its inputs to its result: played and judged, or recalled when it was finished before. */
import { isLostByUser } from '../../scenario/lost-by-user.ts';
import type { TrialResult } from '../../scenario/result.ts';
import { sha256 } from '../../disk/sha256.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { stageFor, type Stage } from '../components/call-tool.ts';
import { findGraders, gradeTrial, gradingInputs } from '../graders/grading.ts';
import type { GraderSpec } from '../../scenario/grader.ts';
import type { Brief } from '../../scenario/brief.ts';
import type { Design } from '../../scenario/design.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import type { CallTerms, Model } from '../../ports/model.ts';
import type { Components, Trial } from '../components/components.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import type { AskedStatements } from '../statements/ask-statements.ts';
import { findFalseStatements, toStatementInput } from '../statements/find-false-statements.ts';
import { findEarlierVersions, TRIAL_VERSIONS, type Judging } from '../judging-versions.ts';
import type { FinishedTrial } from './stored-trial.ts';
import { recallTrial, rememberTrial, type TrialMemory } from './recall-trial.ts';
import { judgeRun } from '../judge/judge-run.ts';
import { runSample, type RunSampleInput, type SampleRun } from './run-sample.ts';
import {
  offeredTools,
  openParticipants,
  buildSubject,
  replaceModels,
  type ParticipantSources,
} from './trial-participants.ts';
import { recordCalls, writeCalls } from './record-calls.ts';
import { openTrace } from './trace-file.ts';

/** `tools` were called in it; `detail` is the reason of an early stop. */
export type DoneTrial = { result: TrialResult; tools: string[]; detail?: string | undefined };

/** The inputs of one trial from its evaluation; enough to play it on another machine. */
export type TrialInput = ParticipantSources &
  Pick<RunSampleInput, 'onTalked'> & {
    /** Absolute path of the iteration's folder, with the components; traces and results are written into it. */
    dir: string;
    design: Design;
    components: Components;
    componentsDigest: string;
    maxTokens: number;
    /** Records the bytes of model calls next to the trace. Default: false. */
    recordsCalls?: boolean;
    /** Thinking that requests to the subject's model must enable. */
    thinking?: 'adaptive' | undefined;
    /** Recalls finished trials when the same evaluation was killed before. */
    memory?: TrialMemory;
    /** Versions with which the evaluation began, for finished trials that record none. */
    begunWith?: Judging | undefined;
    now: () => number;
    /**
     * Repeats the first durations of a replayed trial, the whole and each answer of the subject: agents read traces and results, and their paid calls are found again
     * only when they read the same. Default: as measured.
     */
    durationsOf?: (lane: string, measuredMs: readonly number[]) => readonly number[] | Promise<readonly number[]>;
    signal: AbortSignal;
  };

export async function runTrial(one: Trial, input: TrialInput, session: OpenSandbox): Promise<DoneTrial> {
  const { loaded, trial } = one;
  const { design, brief, components, dir, memory, signal } = input;
  const { sample } = loaded;
  // The digest represents a large world; what the sample changes in it is part of the sample.
  const world = loaded.base?.sha256 ?? loaded.world;
  const subject = buildSubject(input);
  const { max_steps: steps, seconds, usd } = brief.subject;
  const limits = { steps, seconds, usd };
  const digested = [design.digest, input.componentsDigest, sample, world, subject, limits, brief.subject, brief.user];
  const graders = findGraders(sample, components.graders);
  const settings = brief.statements === undefined ? [] : [{ statements: brief.statements }];
  const graded = graders.length === 0 ? [] : [await gradingInputs(graders, input.grading)];
  const inputs = sha256(JSON.stringify([...digested, ...settings, ...graded]));
  const key = { name: `trials/${sample.id}.${trial}`, inputs };
  const finished = await recallTrial(memory, key);
  if (finished !== undefined && isSettled(finished.result)) {
    const judgedBy = findEarlierVersions(finished.judging, input.begunWith);
    const { result, ...done } = await writeAgain(dir, finished);
    return { ...done, result: { ...result, ...omitUndefined({ judgedBy }) } };
  }

  const stage = stageFor(loaded, components, { format: design.format, rules: design.rules, session });
  const userTools = offeredTools(design.format, components, 'user');
  const clock = createTrialClock(input.now);
  const recorder = input.recordsCalls === true ? recordCalls() : undefined;
  const heard = recorder?.over(input) ?? input;
  const participants = await openParticipants(clock.over(heard), { subject, userTools }, one);
  const durationsOf = (measuredMs: readonly number[]) =>
    input.durationsOf?.(`subject/${sample.id}.${trial}`, measuredMs) ?? measuredMs;
  const run = await runSample({
    ...{ loaded, trial, limits, stage, dir, inputs, durationsOf, subject: subject.model },
    ...{ now: clock.now, onTalked: input.onTalked, signal },
    ...participants,
  });
  const { result, detail } = await judgeTrial(one, { run, stage, graders }, heard);
  const recorded = omitUndefined({ calls: await recorder?.done() });
  await writeCalls(dir, run.trace, recorded.calls);
  const tools = [...new Set(run.played.calls.map(({ tool }) => tool))];
  const done = { result, tools, ...omitUndefined({ detail }) };
  // An outage is no result: the trial is played again.
  const stored = { ...done, lines: [...run.lines], ...recorded, judging: { ...TRIAL_VERSIONS } };
  if (isSettled(result)) await rememberTrial(memory, key, stored);
  return done;
}

/** Another try of the same inputs would end in the same way. */
function isSettled(result: TrialResult): boolean {
  return result.outcome !== 'unscored' || isLostByUser(result);
}

async function writeAgain(
  dir: string,
  { lines, calls, judging: _judging, ...done }: FinishedTrial,
): Promise<DoneTrial> {
  const trace = await openTrace(dir, done.result.trace);
  for (const line of lines) await trace.write(line);
  await trace.close();
  await writeCalls(dir, done.result.trace, calls);
  return done;
}

type PlayedTrial = { run: SampleRun; stage: Stage; graders: readonly GraderSpec[] };

/** Judges a played trial. Graders also judge trials that a checker failed: labels need verdicts on both sides. */
async function judgeTrial(
  { loaded: { sample }, trial }: Trial,
  { run, stage, graders }: PlayedTrial,
  input: TrialInput,
): Promise<Pick<DoneTrial, 'result' | 'detail'>> {
  const { brief, grading, signal } = input;
  const { played, trace, durationMs, detail, lines } = run;
  const judges = played.stop === 'infrastructure' ? [] : graders;
  const said = await gradeTrial({ sample, played, graders: judges, lane: `${sample.id}.${trial}` }, grading, signal);
  const costUsd = run.costUsd + said.costUsd;
  if ('unreachable' in said) {
    const unscored = { outcome: 'unscored' as const, verdicts: [], stop: 'infrastructure' };
    return { result: { trial, ...unscored, trace, costUsd, durationMs }, detail: said.unreachable };
  }
  const { detail: unjudged, ...verdicts } = await judgeRun(
    { sample, played, lines, graded: said.verdicts },
    stage,
    signal,
  );
  const doubts = verdicts.outcome === 'pass' ? await findDoubts(lines, input, { sample, trial }) : undefined;
  const disputed = [...(verdicts.disputed ?? []), ...(doubts?.disputes ?? [])];
  const unanswered = played.stop === 'user_silent' || played.stop === 'no_move' ? detail : undefined;
  const result = {
    trial,
    ...verdicts,
    stop: played.stop,
    ...omitUndefined({ unanswered, unusedActs: unusedActs(sample, played, brief) }),
    ...(disputed.length > 0 && { disputed }),
    ...(doubts?.isUnanswered === true && { statementsUnread: true as const }),
    trace,
    costUsd: costUsd + (doubts?.costUsd ?? 0),
    durationMs,
  };
  return { result, detail: unjudged ?? detail };
}

/** Holds the subject's statements against the trace: by code, and by a model where one is paid. */
async function findDoubts(
  lines: readonly TraceLine[],
  { brief, design, components, statementModel, signal }: TrialInput,
  { sample, trial }: { sample: Sample; trial: number },
): Promise<AskedStatements> {
  if (brief.statements === 'off') return { disputes: [], costUsd: 0 };
  const read = toStatementInput(lines, design, components);
  const input = { ...read, gold: sample.gold_says, isAllKnown: brief.subject.kind === 'model' };
  const disputes = findFalseStatements(input);
  if (statementModel === undefined || disputes.length > 0) return { disputes, costUsd: 0 };
  const { modelFor, ...settings } = statementModel;
  const { askStatements } = await import('../statements/ask-statements.ts');
  return askStatements({ ...settings, model: await modelFor(`user/statements/${sample.id}.${trial}`) }, input, signal);
}

/** Lists acts of the user that did not happen; undefined when there are none or the user has none. */
function unusedActs({ user }: Sample, { events = [] }: TrialRecord, brief: Brief): string[] | undefined {
  const kind = user.simulator ?? brief.user.simulator;
  if (kind !== 'scripted' && kind !== 'auto') return undefined;
  const said = events.flatMap((event) => (event.type === 'user' ? [event.text] : []));
  const unused = (user.acts ?? []).filter(({ says }) => {
    const at = said.findIndex((text) => text === says || text.startsWith(`${says} `));
    if (at >= 0) said.splice(at, 1);
    return at < 0;
  });
  return unused.length === 0 ? undefined : unused.map(({ when }) => when);
}

/** The clock of one trial, stopped while a call waits for a slot, money or a retry, which is not its fault. */
type TrialClock = {
  now: () => number;
  /** The same sources, whose models stop the clock where they wait. */
  over: <Sources extends ParticipantSources>(sources: Sources) => Sources;
};

export function createTrialClock(now: () => number): TrialClock {
  let waited = 0;
  const stopping = (model: Model): Model => {
    const call: Model['call'] = async (request, signal, terms) => {
      const from = now();
      let answersFrom = from;
      const onPhase: CallTerms['onPhase'] = (phase) => {
        terms?.onPhase?.(phase);
        // The last try is the one that was answered.
        if (phase === 'sent') answersFrom = now();
      };
      try {
        return await model.call(request, signal, { ...terms, onPhase });
      } finally {
        waited += Math.min(answersFrom, now()) - from;
      }
    };
    return { ...model, call };
  };
  return { now: () => now() - waited, over: (sources) => replaceModels(sources, stopping) };
}
