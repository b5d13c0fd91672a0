/** The line of a trace that decided a failed trial: the call that broke, wrote the wrong thing or was forbidden, else the words. */
import type { DecidingMoment, StateDifference, Verdict } from '../result.ts';
import type { TraceLine, TraceLineOf } from '../trace.ts';

export type FailedTrial = {
  lines: readonly TraceLine[];
  verdicts: readonly Verdict[];
  stateDiff: readonly StateDifference[];
  mustNotCall: readonly string[];
  /** As in the result: `step 3: issue_refund {…} (threw): …`. */
  toolFault?: string | undefined;
};

type NumberedLine<Line> = { line: Line; number: number };

const MAX_QUOTE = 400;

/** Undefined when the trace holds neither a call nor a word of the subject. */
export function decidingMoment(trial: FailedTrial): DecidingMoment | undefined {
  const numbered = trial.lines.map((line, index) => ({ line, number: index + 1 }));
  const calls = numbered.filter((one): one is NumberedLine<TraceLineOf<'call'>> => one.line.type === 'call');
  const found =
    callNamed(calls, trial.toolFault === undefined ? [] : [trial.toolFault]) ??
    calls.find(({ line }) => trial.mustNotCall.includes(line.tool)) ??
    calls.findLast(({ line }) =>
      line.change.some(({ path }) => trial.stateDiff.some((one) => overlaps(one.path, path))),
    ) ??
    callNamed(calls, evidenceOf(trial.verdicts)) ??
    lastWords(numbered);
  return found === undefined ? undefined : momentOf(found);
}

/** The first call that one of the texts names as `step 3`, and by its tool when the step made several. */
function callNamed(
  calls: readonly NumberedLine<TraceLineOf<'call'>>[],
  texts: readonly string[],
): NumberedLine<TraceLineOf<'call'>> | undefined {
  for (const text of texts) {
    const [, step, tool] = /\bstep (\d+)(?:: (\w+))?/.exec(text) ?? [];
    const ofStep = calls.filter(({ line }) => line.step === Number(step));
    const found = ofStep.find(({ line }) => line.tool === tool) ?? ofStep[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

function evidenceOf(verdicts: readonly Verdict[]): string[] {
  return verdicts.filter(({ pass }) => !pass).flatMap(({ evidence, reason }) => [...evidence, reason]);
}

/** One JSON pointer leads into the other. */
export function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function lastWords(numbered: readonly NumberedLine<TraceLine>[]): NumberedLine<TraceLine> | undefined {
  return numbered.findLast(({ line }) => line.type === 'says') ?? numbered.findLast(({ line }) => line.type === 'call');
}

function momentOf({ line, number }: NumberedLine<TraceLine>): DecidingMoment | undefined {
  if (line.type === 'says') return { step: line.step, line: number, quote: clip(line.text) };
  if (line.type !== 'call') return undefined;
  const who = line.by === 'user' ? 'the user: ' : '';
  const quote = `${who}${line.tool} ${JSON.stringify(line.input)} -> ${JSON.stringify(line.output)}`;
  return { step: line.step, line: number, quote: clip(quote) };
}

function clip(text: string): string {
  return text.length > MAX_QUOTE ? `${Array.from(text).slice(0, MAX_QUOTE).join('')}…` : text;
}
