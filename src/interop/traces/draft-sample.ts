/** Drafts a sample from a trace: its user from the person's turns, its end from the calls, its judges from a sample alike. */
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { diffJson } from '../../scenario/json/patch.ts';
import { listCalls, type Sample } from '../../scenario/sample.ts';
import type { TracedToolStep, TraceStep } from './read-traces.ts';

/** A trace that was played again on the world that it shows. */
export type PlayedTrace = {
  id: string;
  steps: readonly TraceStep[];
  start: JsonObject;
  end: JsonObject;
  /** The last call that changed the world; undefined where none did. */
  lastChange: TracedToolStep | undefined;
};

export type Draft = { sample: Sample; questions: string[] };

/** `alike`: the sample of the design in which the same happens; its category, rules and judges are taken. */
export function draftSample({ id, steps, start, end, lastChange }: PlayedTrace, alike: Sample): Draft {
  const calls = steps.filter((step) => 'tool' in step);
  const told = steps.flatMap((step) => ('user' in step ? [step.user] : []));
  const lastWords = steps.findLastIndex((step) => 'says' in step);
  const goldSays = steps.flatMap((step) => ('says' in step ? [step.says] : [])).at(-1) ?? '';
  const firstWords = steps.findIndex((step) => 'user' in step);
  const gold = steps.slice(firstWords + 1, lastWords).map((step) => {
    return 'tool' in step ? { tool: step.tool, args: step.args } : step;
  });
  const change = diffJson(start, end);
  const values = calls.flatMap(({ output }) => listTexts(output));
  const must = change.length > 0 ? [] : [...new Set(values.filter((value) => goldSays.includes(value)))];
  const cases = draftCase(calls, alike);
  const sample: Sample = {
    id,
    title: shorten(told[0] ?? ''),
    category: alike.category,
    covers: alike.covers,
    ...cases.given,
    start: { world: start },
    user: {
      says_first: told[0] ?? '',
      knows: listKnown(calls, told),
      does_not_know: [],
      stops_when: alike.user.stops_when,
    },
    expect: {
      end_state: change.length === 0 ? 'unchanged' : { patch: change },
      must_say: must.map((value) => ({ any: [value] })),
      must_not_call: [],
    },
    gold,
    gold_says: goldSays,
    wrong: lastChange === undefined ? gold : dropCall(gold, calls.indexOf(lastChange)),
    wrong_says: lastChange === undefined ? 'I do not know.' : goldSays,
    checkers: alike.checkers,
    ...(alike.graders !== undefined && { graders: alike.graders }),
    limits: {},
  };
  const questions = [...cases.questions];
  if (change.length === 0 && must.length === 0)
    questions.push('Nothing is changed, and the last answer repeats nothing of what the tools said: what must it say?');
  if (alike.graders !== undefined)
    questions.push('A grader judges such samples: is the last answer right in its eyes?');
  return { sample, questions };
}

/** The path of an agent that says it is done, and has left out the last thing that it had to do. */
function dropCall(path: Sample['gold'], dropped: number): Sample['gold'] {
  let count = -1;
  return path.filter((step) => !('tool' in step) || (count += 1) !== dropped);
}

/** What the person said of the arguments after the first words, by the names of the arguments. */
function listKnown(calls: readonly TracedToolStep[], told: readonly string[]): Record<string, string> {
  const later = told.slice(1);
  const known = calls.flatMap(({ args }) =>
    Object.entries(args).flatMap(([name, value]) => {
      const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
      return text !== '' && later.some((words) => words.includes(text)) ? [[name.replaceAll('_', ' '), text]] : [];
    }),
  );
  return Object.fromEntries(known) as Record<string, string>;
}

type DraftedCase = { given: Pick<Sample, 'case' | 'case_of'>; questions: string[] };

/** A value of the case that stands in an argument of the other sample is read from the same argument here. */
function draftCase(calls: readonly TracedToolStep[], alike: Sample): DraftedCase {
  const questions: string[] = [];
  const model = listCalls(alike.gold);
  const carry = <Value extends string | number | boolean>(name: string, value: Value): Value => {
    for (const [place, call] of model.entries()) {
      const found = Object.entries(call.args).find(([, own]) => own === value);
      if (found === undefined) continue;
      const nth = model.slice(0, place).filter(({ tool }) => tool === call.tool).length;
      const own = calls.filter(({ tool }) => tool === call.tool)[nth]?.args[found[0]];
      if (typeof own === typeof value) return own as Value;
    }
    questions.push(`Is ${name} of this case ${JSON.stringify(value)}, as in the sample ${alike.id}?`);
    return value;
  };
  const mapAll = <Value extends string | number | boolean>(given: Record<string, Value>) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, carry(name, value)]));
  return {
    given: {
      ...(alike.case !== undefined && { case: mapAll(alike.case) }),
      ...(alike.case_of !== undefined && { case_of: mapAll(alike.case_of) }),
    },
    questions,
  };
}

const SHORTEST_VALUE = 2;
const LONGEST_TITLE = 70;

function listTexts(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)].filter(({ length }) => length >= SHORTEST_VALUE);
  if (typeof value === 'string') return value.length >= SHORTEST_VALUE ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1)}…`;
}
