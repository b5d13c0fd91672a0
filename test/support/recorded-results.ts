/** Recorded runs of tau-bench and tau2-bench as results and traces in our own form, for tests of what is made of such. */
import { createProblem } from '../../src/scenario/attribution/problem-code.ts';
import type { TrialResult } from '../../src/scenario/result.ts';
import type { StopCause, TraceLine } from '../../src/scenario/trace.ts';
import { tracePath } from '../../src/evaluation/trial/trace-file.ts';
import { createSlugs, jsonFile, linesFile, type ImportedFiles } from '../../src/interop/imported-files.ts';
import { importedResults, importedTrace, type ImportedTrial } from '../../src/interop/imported-results.ts';
import { judgeRecorded } from '../../src/interop/tau/runs/judge-recorded.ts';
import type { RecordedMessage, RecordedRun, RecordedToolCall } from '../../src/interop/tau/runs/recorded-run.ts';
import type { RejudgedTauRow, RejudgedTauSet } from '../../src/interop/tau/runs/rejudge.ts';

export function importRecorded({ rows, refused, file }: RejudgedTauSet): ImportedFiles {
  const slug = createSlugs('task');
  const trials = rows.map((row, index) => {
    const sample = slug([row.run.domain, row.run.taskId].filter(Boolean).join('-'));
    const trial = rows.slice(0, index).filter(({ run }) => run.taskId === row.run.taskId).length + 1;
    return { row, lines: toTrace(row.run, sample, trial), trial: toTrial(row, sample, trial) };
  });
  const problems = rows.flatMap(({ run }, index) =>
    run.goldErrors.map(({ message }) => goldProblem(trials[index]?.trial.sample ?? '', message)),
  );
  const unique = [...new Map(problems.map((found) => [found.message, found])).values()];
  const results = importedResults(
    trials.map(({ trial }) => trial),
    'tasks',
    unique,
  );
  return {
    files: [
      jsonFile('results.json', results),
      ...trials.map(({ lines, trial }) => linesFile(trial.result.trace, lines)),
    ],
    gaps: [
      ...refused.map(({ at, message }) => `${at} was left out: ${message}`),
      ...(rows.some(({ carried }) => carried.length > 0)
        ? [`${file} does not hold the worlds; its own verdict on them was taken over`]
        : ['a recording holds only what changed in the world, so start and end of each trace hold no whole world']),
    ],
  };
}

function goldProblem(sample: string, message: string): ReturnType<typeof createProblem> {
  return { ...createProblem('gold-invalid', sample, `${sample}: its gold path raises: ${message}`), sample };
}

function toTrial({ run, pass, why, layer, toolFault }: RejudgedTauRow, sample: string, trial: number): ImportedTrial {
  const stop = toStopCause(run);
  const isLost = stop === 'infrastructure';
  return {
    sample,
    title: `${run.domain} task ${run.taskId}`.trim(),
    category: run.domain === '' ? 'imported' : run.domain,
    result: {
      trial,
      outcome: isLost ? 'unscored' : pass ? 'pass' : 'fail',
      stop,
      verdicts: isLost ? [] : toVerdicts(run),
      trace: tracePath(sample, trial),
      ...(toolFault !== undefined && !pass && { toolFault }),
      costUsd: 0,
      durationMs: 0,
    },
    ...(layer !== undefined && !isLost && { layer: layer === 2 ? 2 : 4 }),
    why,
  };
}

function toVerdicts(run: RecordedRun): TrialResult['verdicts'] {
  const judged = judgeRecorded(run);
  if (!judged.ok) return [];
  const parts = Object.entries(judged.components).map(([name, { value, why, by }]) => ({
    checker: name.toLowerCase().replaceAll('_', '-'),
    pass: value === 1,
    reason: value === 1 ? `as the task asks (${by})` : (why[0] ?? `not as the task asks (${by})`),
    evidence: why.slice(0, 12),
  }));
  if (judged.ended) return parts;
  return [{ checker: 'ended', pass: false, reason: `it did not end by itself: ${run.termination}`, evidence: [] }];
}

function toTrace(run: RecordedRun, sample: string, trial: number): TraceLine[] {
  const lines: TraceLine[] = [];
  let step = 0;
  for (const [index, message] of run.messages.entries()) {
    const answerOf = (call: RecordedToolCall) => answerTo(run.messages.slice(index + 1), call);
    if (message.role === 'assistant') {
      step += 1;
      if (message.text.trim() !== '') lines.push({ type: 'says', step, text: message.text });
      for (const call of ranCalls(run, message)) lines.push(callLine(call, step, answerOf(call)));
    }
    if (message.role === 'user') lines.push({ type: 'user', step, text: userText(message, answerOf) });
  }
  const stop = toStopCause(run);
  return importedTrace({ sample, trial, model: run.model, inputs: run.taskId }, lines, {
    stop,
    detail: stop === 'done' ? undefined : run.termination,
    // A recording contains no world, only the changes to it.
    world: run.finalDiff === undefined ? {} : { changes: run.finalDiff },
    costUsd: 0,
    durationMs: 0,
  });
}

/** The way in which a recorded run ended. An outage is unscored here, whatever its benchmark counts. */
function toStopCause({ termination }: RecordedRun): StopCause {
  if (/^(stop|transfer|user_stop|agent_stop)$/.test(termination)) return 'done';
  if (termination.includes('infrastructure')) return 'infrastructure';
  return termination.includes('timeout') ? 'seconds' : 'steps';
}

/** tau-bench runs the first call of a message and drops the others. */
function ranCalls({ dialect }: RecordedRun, { calls }: RecordedMessage): RecordedToolCall[] {
  return dialect === 'tau1' ? calls.slice(0, 1) : calls;
}

function callLine(call: RecordedToolCall, step: number, answer: RecordedMessage | undefined): TraceLine {
  const is_error = answer === undefined || answer.isError === true || /^Error\b/.test(answer.text);
  const output = answer?.text ?? 'the recording holds no answer';
  return { type: 'call', step, tool: call.tool, input: call.args, output, is_error, change: [] };
}

function answerTo(later: readonly RecordedMessage[], { id }: RecordedToolCall): RecordedMessage | undefined {
  return later.find(({ role, answers }) => role === 'tool' && answers === id);
}

/** Calls of the user become words of the user, because the calls in an imported trace are the subject's. */
function userText(
  { text, calls }: RecordedMessage,
  answerOf: (call: RecordedToolCall) => RecordedMessage | undefined,
): string {
  const done = calls.map((call) => {
    const answer = answerOf(call)?.text ?? 'no answer';
    return `[the user's own tool ${call.tool} ${JSON.stringify(call.args)}: ${answer}]`;
  });
  return [...(text === '' ? [] : [text]), ...done].join('\n');
}
