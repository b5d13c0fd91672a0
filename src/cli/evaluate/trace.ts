/** `tandem trace <run> <sample>`: shows one trial, and with --raw the request and response of each model call. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../../errors.ts';
import { findCalls, readCalls, type ReadCall } from '../../evaluation/trial/read-calls.ts';
import { readNamedTrace } from '../../evaluation/trial/read-trace.ts';
import { formatDuration, formatTokens, formatUsd } from '../../report/text/number-format.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { type JsonFlag, type BooleanFlags, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import { readIteration } from './read-iteration.ts';

export type TraceOptions = JsonFlag & BooleanFlags<'raw'> & TextFlags<'iteration' | 'trial' | 'call'>;

export async function traceCommand(
  target: { run: string; sample: string },
  options: TraceOptions,
  io: Io,
): Promise<number> {
  const { results, dir, run } = await readIteration(target.run, options.iteration, io);
  const result = results.samples.find(({ id }) => id === target.sample);
  if (result === undefined)
    throw usageError(
      `${run} has no sample "${target.sample}". It has: ${results.samples.map(({ id }) => id).join(', ')}.`,
    );
  const wanted = parseOptionalCount('--trial', options.trial);
  const failed = result.trials.find(({ outcome }) => outcome === 'fail') ?? result.trials[0];
  const trial = wanted === undefined ? failed : result.trials.find((one) => one.trial === wanted);
  if (trial === undefined) throw usageError(`${target.sample} has ${result.trials.length} trials.`);
  const lines = await readNamedTrace(dir, trial.trace);
  const found = await findCalls(trial.trace, (path) => readFile(join(dir, path), 'utf8').catch(() => undefined));
  const calls = found && selectCalls(readCalls(found, trial.trace), parseOptionalCount('--call', options.call));
  const about = { run, iteration: results.iteration, sample: result.id, trial: trial.trial, outcome: trial.outcome };
  if (options.json === true) {
    const shown = calls?.map((call) => callValue(call, options.raw === true));
    io.out(JSON.stringify({ ...about, trace: join(dir, trial.trace), lines, calls: shown ?? null }));
    return EXIT.met;
  }
  io.out(
    terminalText(
      `${result.id}, trial ${trial.trial} of iteration ${results.iteration}: ${trial.outcome}, ${formatDuration(trial.durationMs)}, ${formatUsd(trial.costUsd)}`,
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
