/** `tandem trace` and `tandem rerun`: what one trial did, and the same sample once more. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { usageError } from '../../errors.ts';
import { findCalls, readCalls, type ReadCall } from '../../evaluation/trial/read-calls.ts';
import { readNamedTrace } from '../../evaluation/trial/read-trace.ts';
import { formatDuration, formatTokens, formatUsd } from '../../report/text/number-format.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { type JsonFlag, type BooleanFlags, type TextFlags, EXIT, type Io, type Call } from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import { readIteration } from './read-iteration.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { findTrial, rerunSample, type Rerun } from '../../pipeline/evaluation/rerun-sample.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';
import { outputDir } from '../../run/layout.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type TraceOptions = JsonFlag & BooleanFlags<'raw'> & TextFlags<'iteration' | 'trial' | 'call'>;

export async function traceCommand(
  target: { run: string; sample: string },
  options: TraceOptions,
  io: Io,
): Promise<number> {
  const { results, dir, run } = await readIteration(target.run, options.iteration, io);
  const { sample } = target;
  const trial = findTrial(results, { sample, trial: parseOptionalCount('--trial', options.trial) });
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

/** Exit code 0 when the trial passes now, 1 when it does not. */
export async function rerunCommand(
  { run: name, sample }: { run: string; sample: string },
  options: RerunOptions,
  { io, signal }: Call,
): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const { iterations } = await readState(run);
  const iteration = parseOptionalCount('--iteration', options.iteration) ?? iterations.at(-1)?.iteration;
  if (iteration === undefined) throw usageError(`Run ${run.id} has no iteration yet.`);
  const request = {
    sample,
    iteration,
    trial: parseOptionalCount('--trial', options.trial),
    components: options.components === undefined ? undefined : resolve(io.cwd, options.components),
  };
  const sandbox = await sandboxOver(request.components ?? join(run.dir, outputDir(iteration)), options, io);
  const rerun = await rerunSample(run, request, {
    sandbox,
    prompts: await loadPrompts(findHome(io.cwd)),
    signal,
  });
  if (options.json === true) io.out(JSON.stringify(rerun));
  else for (const line of rerunLines(rerun)) io.out(terminalText(line));
  return rerun.now.outcome === 'pass' ? EXIT.met : EXIT.notMet;
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
