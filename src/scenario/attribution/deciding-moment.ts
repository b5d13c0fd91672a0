/** Finds the line of a trace that decided a failed trial: by the evidence, by a checker's turn, or the last words. */
import type { DecidingMoment, StateDifference, Verdict } from '../result.ts';
import type { TraceLine, TraceLineOf } from '../trace.ts';

export type FailedTrial = {
  lines: readonly TraceLine[];
  verdicts: readonly Verdict[];
  stateDiff: readonly StateDifference[];
  mustNotCall: readonly string[];
  /** The tool fault as in the result: `step 3: issue_refund {…} (threw): …`. */
  toolFault?: string | undefined;
};

type NumberedLine<Line> = { line: Line; number: number };

const MAX_QUOTE = 400;

/** Finds the call that broke, was forbidden or wrote a wrong value, or that a checker's evidence names, if any does. */
export function findNamedMoment(trial: FailedTrial): DecidingMoment | undefined {
  const numbered = numberedLines(trial.lines);
  const calls = numbered.filter((one): one is NumberedLine<TraceLineOf<'call'>> => one.line.type === 'call');
  const found =
    findNamedCall(calls, trial.toolFault ?? '') ??
    calls.find(({ line }) => trial.mustNotCall.includes(line.tool)) ??
    calls.findLast(({ line }) =>
      line.change.some(({ path }) => trial.stateDiff.some((one) => arePointersNested(one.path, path))),
    ) ??
    findCallOrWords(numbered, calls, listEvidence(trial.verdicts));
  return found === undefined ? undefined : toDecidingMoment(found);
}

/**
 * Finds the subject's event at or after this place, or its last words when no place is given. Undefined when the trace
 * holds neither a call nor a message of the subject.
 */
export function findMomentAt(lines: readonly TraceLine[], place?: number): DecidingMoment | undefined {
  const numbered = numberedLines(lines);
  const events = numbered.filter(({ line }) => line.type !== 'start' && line.type !== 'end');
  const turned = place === undefined ? undefined : events.slice(place).find(({ line }) => line.type !== 'user');
  const found = turned ?? findLastWords(numbered);
  return found === undefined ? undefined : toDecidingMoment(found);
}

function numberedLines(lines: readonly TraceLine[]): NumberedLine<TraceLine>[] {
  return lines.map((line, index) => ({ line, number: index + 1 }));
}

type CallLine = NumberedLine<TraceLineOf<'call'>>;

/**
 * Finds the first call that a text names: by tool and input if both are spelled out, else by its tool, and only then by
 * its step, which several calls share and which a checker may count in its own way.
 */
function findNamedCall(calls: readonly CallLine[], text: string): CallLine | undefined {
  const step = Number(/\bstep (\d+)/.exec(text)?.[1]);
  const spelled = calls.filter(({ line }) => text.includes(`${line.tool} ${formatCallInput(line)}`));
  const words = new Set(text.match(/[\w-]+/g));
  const ofTool = calls.filter(({ line }) => words.has(line.tool));
  const named = spelled.length > 0 ? spelled : ofTool;
  const ofStep = (named.length > 0 ? named : calls).find(({ line }) => line.step === step);
  const isSingle = spelled.length > 0 || new Set(named.map(({ line }) => line.tool)).size === 1;
  return ofStep ?? (isSingle ? named.at(-1) : undefined);
}

/** Works like `findNamedCall`, but a step named without a tool refers to the message of that step, if any. */
function findCallOrWords(
  numbered: readonly NumberedLine<TraceLine>[],
  calls: readonly CallLine[],
  texts: readonly string[],
): NumberedLine<TraceLine> | undefined {
  for (const text of texts) {
    const step = Number(/\bstep (\d+)/.exec(text)?.[1]);
    const words = new Set(text.match(/[\w-]+/g));
    const isOfCall = calls.some(({ line }) => words.has(line.tool));
    const said = isOfCall ? undefined : numbered.find(({ line }) => line.type === 'says' && line.step === step);
    const found = said ?? findNamedCall(calls, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Formats a call's input as evidence does, which shortens long inputs. */
function formatCallInput({ input }: TraceLineOf<'call'>): string {
  return JSON.stringify(input).slice(0, 159);
}

function listEvidence(verdicts: readonly Verdict[]): string[] {
  return verdicts.filter(({ pass }) => !pass).flatMap(({ evidence, reason }) => [...evidence, reason]);
}

/** Checks whether one JSON pointer leads into the other. */
export function arePointersNested(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function findLastWords(numbered: readonly NumberedLine<TraceLine>[]): NumberedLine<TraceLine> | undefined {
  return numbered.findLast(({ line }) => line.type === 'says') ?? numbered.findLast(({ line }) => line.type === 'call');
}

function toDecidingMoment({ line, number }: NumberedLine<TraceLine>): DecidingMoment | undefined {
  if (line.type === 'says') return { step: line.step, line: number, quote: clipQuote(line.text) };
  if (line.type !== 'call') return undefined;
  const who = line.by === 'user' ? 'the user: ' : '';
  const quote = `${who}${line.tool} ${JSON.stringify(line.input)} -> ${JSON.stringify(line.output)}`;
  return { step: line.step, line: number, quote: clipQuote(quote) };
}

function clipQuote(text: string): string {
  return text.length > MAX_QUOTE ? `${Array.from(text).slice(0, MAX_QUOTE).join('')}…` : text;
}
