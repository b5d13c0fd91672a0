/** `tandem trace` and `tandem rerun`: what one trial did, and the same sample once more. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import { loadComponents } from '../../evaluation/components/load-components.ts';
import { rememberedGrading } from '../../evaluation/graders/grading.ts';
import { replayTrial, type ReplayedTrial } from '../../evaluation/rejudge/replay-trial.ts';
import { findCalls, readCalls, type ReadCall } from '../../evaluation/trial/read-calls.ts';
import { readNamedTrace } from '../../evaluation/trial/read-trace.ts';
import { formatDuration, formatTokens, formatUsd } from '../../report/text/number-format.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import type { Results, TrialResult } from '../../scenario/result.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { type JsonFlag, type BooleanFlags, type TextFlags, EXIT, type Io, type Call } from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import { designFor, readIteration } from './read-iteration.ts';
import { findHome } from '../../config/home.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';

export type TraceOptions = JsonFlag & BooleanFlags<'raw'> & TextFlags<'iteration' | 'trial' | 'call'>;

type NamedTrial = { run: string; sample: string };

/** Default: the first trial that failed, else the first. */
function findTrial({ samples }: Results, { run, sample }: NamedTrial, wanted: number | undefined): TrialResult {
  const trials = samples.find(({ id }) => id === sample)?.trials;
  if (trials === undefined) {
    const known = samples.map(({ id }) => id).join(', ');
    throw usageError(`${run} has no sample "${sample}"; there are: ${known}.`);
  }
  const failed = trials.find(({ outcome }) => outcome === 'fail') ?? trials[0];
  const trial = wanted === undefined ? failed : trials.find((one) => one.trial === wanted);
  if (trial === undefined) throw usageError(`Sample ${sample} has ${trials.length} trials.`);
  return trial;
}

export async function traceCommand(target: NamedTrial, options: TraceOptions, io: Io): Promise<number> {
  const { sample } = target;
  const { results, dir, run } = await readIteration(target.run, options.iteration, io);
  const trial = findTrial(results, { run, sample }, parseOptionalCount('--trial', options.trial));
  const lines = await readNamedTrace(dir, trial.trace);
  const found = await findCalls(trial.trace, (path) => readFile(join(dir, path), 'utf8').catch(() => undefined));
  const calls = found && selectCalls(readCalls(found, trial.trace), parseOptionalCount('--call', options.call));
  const about = { run, iteration: results.iteration, sample, trial: trial.trial, outcome: trial.outcome };
  if (options.json === true) {
    const shown = calls?.map((call) => callValue(call, options.raw === true));
    io.out(JSON.stringify({ ...about, trace: join(dir, trial.trace), lines, calls: shown ?? null }));
    return EXIT.met;
  }
  io.out(
    terminalText(
      `${sample}, trial ${trial.trial} of iteration ${results.iteration}: ${trial.outcome}, ${formatDuration(trial.durationMs)}, ${formatUsd(trial.costUsd)}`,
    ),
  );
  if (options.call === undefined) for (const line of traceLines(lines)) io.out(terminalText(line));
  if (calls === undefined) io.out('Requests and answers of models were not recorded.');
  else if (options.raw === true || options.call !== undefined) for (const call of calls) printCall(call, io);
  else
    io.out(`${calls.length} model calls are recorded: --raw shows what was sent and came back, --call <n> one of them`);
  return EXIT.met;
}

type NumberedCall = ReadCall & { number: number };

function selectCalls(calls: readonly ReadCall[], only: number | undefined): NumberedCall[] {
  const numbered = calls.map((call, index) => ({ ...call, number: index + 1 }));
  const left = only === undefined ? numbered : numbered.filter(({ number }) => number === only);
  if (only !== undefined && left.length === 0)
    throw usageError(`--call ${only}: ${calls.length} model calls of this trial are recorded.`);
  return left;
}

/** Bodies are shown as UTF-8 text; a body that is not UTF-8 is shown in Base64. */
function callValue({ number, by, step, tries }: NumberedCall, isRaw: boolean): object {
  const body = (bytes: Buffer): object => {
    const text = bytes.toString('utf8');
    if (!isRaw) return { bytes: bytes.length };
    return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
  };
  const sent = tries.map(({ request, answer, ...rest }) => ({ ...rest, request: body(request), answer: body(answer) }));
  return { number, by, step, tries: sent };
}

function printCall({ number, by, step, tries }: NumberedCall, io: Io): void {
  io.out('');
  io.out(terminalText(`== call ${number}: ${by}, step ${step}`));
  if (tries.length === 0) io.out('nothing was sent: the answer was remembered, or came from a recording');
  for (const { status, request, answer } of tries) {
    io.out(`-- request, ${request.length} bytes`);
    for (const line of terminalLines(request.toString('utf8'))) io.out(line);
    io.out(`-- answer${status === undefined ? '' : `, status ${status}`}, ${answer.length} bytes`);
    for (const line of terminalLines(answer.toString('utf8'))) io.out(line);
  }
}

function traceLines(lines: readonly TraceLine[]): string[] {
  const answers = lines.findLast((line) => line.type === 'end')?.answers ?? [];
  let shown = 0;
  return lines.flatMap((line, index) => {
    const step = 'step' in line ? line.step : 0;
    const answer = answers[step - 1];
    const isNew = step > shown && answer !== undefined;
    shown = Math.max(shown, step);
    const head = isNew
      ? [
          `step ${step}: ${formatDuration(answer.durationMs)}, ${formatTokens(answer.in)} tokens in, ${formatTokens(answer.out)} out, ${formatUsd(answer.usd)}`,
        ]
      : [];
    return [...head, `  #${index + 1} ${lineText(line)}`];
  });
}

function lineText(line: TraceLine): string {
  switch (line.type) {
    case 'start':
      return `start: ${line.model}`;
    case 'user':
      return `user: ${line.text}`;
    case 'says':
      return `subject: ${line.text}`;
    case 'call': {
      const by = line.by === 'user' ? 'user calls' : 'calls';
      return `${by} ${line.tool} ${JSON.stringify(line.input)} -> ${line.is_error ? 'error ' : ''}${JSON.stringify(line.output)}`;
    }
    default:
      return `end: ${line.stop}${line.detail === undefined ? '' : `: ${line.detail}`}`;
  }
}

type RerunOptions = SandboxFlags & JsonFlag & TextFlags<'iteration' | 'trial' | 'components'>;

type Rerun = { iteration: number; sample: string; recorded: TrialResult } & Pick<ReplayedTrial, 'now' | 'changed'>;

/** Plays one trial again from its trace: same words and calls, tools and checkers as they are now. Exit code 0 when it passes. */
export async function rerunCommand(
  { run: name, sample }: NamedTrial,
  options: RerunOptions,
  { io, signal }: Call,
): Promise<number> {
  const { written, dir: recordedDir, run } = await readIteration(name, options.iteration, io);
  const recorded = findTrial(written, { run, sample }, parseOptionalCount('--trial', options.trial));
  const lines = await readNamedTrace(recordedDir, recorded.trace);
  const { format } = await designFor(recordedDir, undefined);
  const dir = options.components === undefined ? recordedDir : resolve(io.cwd, options.components);
  const sandbox = await sandboxOver(dir, options, io);
  const { components, problems } = await loadComponents(dir, sandbox, signal);
  const loaded = components.samples.find((one) => one.sample.id === sample);
  const fault = problems.find(({ component }) => component === sample)?.message;
  if (loaded === undefined) throw new HarnessError('not_found', fault ?? `${dir} has no sample "${sample}".`);
  const session = await sandbox.open(dir);
  try {
    const grading = rememberedGrading([written], await loadPrompts(findHome(io.cwd)));
    const replay = { loaded, trial: recorded.trial, lines, components, format, session, grading };
    const { now, changed } = await replayTrial(replay, signal);
    const rerun = { iteration: written.iteration, sample, recorded, now, changed };
    if (options.json === true) io.out(JSON.stringify(rerun));
    else for (const line of rerunLines(rerun)) io.out(terminalText(line));
    return now.outcome === 'pass' ? EXIT.met : EXIT.notMet;
  } finally {
    await session.close();
  }
}

function rerunLines({ iteration, sample, recorded, now, changed }: Rerun): string[] {
  const same = now.outcome === recorded.outcome ? 'as recorded' : `and was recorded as ${recorded.outcome}`;
  return [
    `${sample}, trial ${recorded.trial} of iteration ${iteration}: ${now.outcome}, ${same} (no model was called)`,
    ...now.verdicts.flatMap(({ checker, pass, reason, evidence, broken }) => [
      `  ${pass ? 'pass' : broken === true ? 'BROKEN' : 'FAIL'}  ${checker}: ${reason}`,
      ...(pass ? [] : evidence.map((line) => `          ${line}`)),
    ]),
    ...(now.toolFault === undefined ? [] : [`  tool fault: ${now.toolFault}`]),
    ...(now.deciding === undefined ? [] : [`  decided at step ${now.deciding.step}: ${now.deciding.quote}`]),
    ...(changed.length === 0
      ? ['  every call answers as it did']
      : changed.map((call) => `  answers otherwise than recorded: ${call}`)),
  ];
}
