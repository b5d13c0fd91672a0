/** The line of a trace that decided a failed trial: what the evidence names, else the event at which a checker turned, else the last words. */
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

/** The call that broke, wrote the wrong thing or was forbidden, or what the evidence of a checker names; undefined where nothing names it. */
export function namedMoment(trial: FailedTrial): DecidingMoment | undefined {
  const numbered = numberedLines(trial.lines);
  const calls = numbered.filter((one): one is NumberedLine<TraceLineOf<'call'>> => one.line.type === 'call');
  const found =
    callNamed(calls, trial.toolFault === undefined ? [] : [trial.toolFault]) ??
    calls.find(({ line }) => trial.mustNotCall.includes(line.tool)) ??
    calls.findLast(({ line }) =>
      line.change.some(({ path }) => trial.stateDiff.some((one) => overlaps(one.path, path))),
    ) ??
    calledOrSaid(numbered, calls, evidenceOf(trial.verdicts));
  return found === undefined ? undefined : momentOf(found);
}

/**
 * The event at this place, or what the subject did next where it is the user's; the last words without a place. Undefined when the
 * trace holds neither a call nor a word of the subject.
 */
export function momentAt(lines: readonly TraceLine[], place?: number): DecidingMoment | undefined {
  const numbered = numberedLines(lines);
  const events = numbered.filter(({ line }) => line.type !== 'start' && line.type !== 'end');
  const turned = place === undefined ? undefined : events.slice(place).find(({ line }) => line.type !== 'user');
  const found = turned ?? lastWords(numbered);
  return found === undefined ? undefined : momentOf(found);
}

function numberedLines(lines: readonly TraceLine[]): NumberedLine<TraceLine>[] {
  return lines.map((line, index) => ({ line, number: index + 1 }));
}

type CallLine = NumberedLine<TraceLineOf<'call'>>;

/**
 * The first call that one of the texts names: by tool and input where both are written out, else by its tool, and only then by
 * its step, which several calls share and which a checker may count in its own way.
 */
function callNamed(calls: readonly CallLine[], texts: readonly string[]): CallLine | undefined {
  for (const text of texts) {
    const step = Number(/\bstep (\d+)/.exec(text)?.[1]);
    const spelled = calls.filter(({ line }) => text.includes(`${line.tool} ${spelling(line)}`));
    const words = new Set(text.match(/[\w-]+/g));
    const ofTool = calls.filter(({ line }) => words.has(line.tool));
    const named = spelled.length > 0 ? spelled : ofTool;
    const ofStep = (named.length > 0 ? named : calls).find(({ line }) => line.step === step);
    const found =
      ofStep ??
      (spelled.length > 0 || new Set(named.map(({ line }) => line.tool)).size === 1 ? named.at(-1) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As `callNamed`; evidence that names a step and no tool is about the words of that step, where there are any. */
function calledOrSaid(
  numbered: readonly NumberedLine<TraceLine>[],
  calls: readonly CallLine[],
  texts: readonly string[],
): NumberedLine<TraceLine> | undefined {
  for (const text of texts) {
    const step = Number(/\bstep (\d+)/.exec(text)?.[1]);
    const words = new Set(text.match(/[\w-]+/g));
    const isOfCall = calls.some(({ line }) => words.has(line.tool));
    const said = isOfCall ? undefined : numbered.find(({ line }) => line.type === 'says' && line.step === step);
    const found = said ?? callNamed(calls, [text]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As evidence writes it, which shortens long inputs. */
function spelling({ input }: TraceLineOf<'call'>): string {
  return JSON.stringify(input).slice(0, 159);
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
