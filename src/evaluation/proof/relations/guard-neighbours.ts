/** Tools that write, on both sides of their guards: where they turn from yes to no the approved table does, too. */
import type { ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import { buildTable } from '../../../scenario/cases/case-table.ts';
import { longAttribute, parseRange, type Cases } from '../../../scenario/cases/cases.ts';
import { readCase } from '../../../scenario/cases/judge-by-table.ts';
import type { Design } from '../../../scenario/design.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall } from './observed-calls.ts';
import { writeAttribute, type CallInCase } from './read-by-table.ts';
import { findRefusedWrite } from './write-relations.ts';

type FoundByTable = { code: ProblemCode; text: string };

/** Says nothing of a tool that leaves a rule to its subject: only a guard that is there can stand in the wrong place. */
export async function findMisplacedGuards(
  { calls, design: { format, rules } }: { calls: readonly CallInCase[]; design: Design },
  signal: AbortSignal,
): Promise<FoundByTable | undefined> {
  const { cases } = format;
  const tried = new Set<string>();
  for (const call of calls) {
    const known = cases && readCase(call.stated, call.observed.world, cases);
    if (cases === undefined || known === undefined) continue;
    for (const { name, cells } of buildTable(cases, rules.rules).attributes) {
      const starts = cells.slice(1).map(({ from }) => Number(from));
      // One call shows where a tool turns.
      if (known[name] === undefined || tried.has(name)) continue;
      tried.add(name);
      const found = await tryBoundaries(call, { cases, name, starts }, signal);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** `starts`: the first number behind each boundary. */
type Boundaries = { cases: Cases; name: string; starts: readonly number[] };

/** The call at each boundary, below and above it. */
async function tryBoundaries(
  call: CallInCase,
  { cases, name, starts }: Boundaries,
  signal: AbortSignal,
): Promise<FoundByTable | undefined> {
  const { observed } = call;
  const said = `${describeCall(observed.call)} with ${name}`;
  const domain = parseRange(String(longAttribute(cases.attributes[name] ?? []).values));
  for (const at of domain === undefined ? [] : starts) {
    const takes: (boolean | undefined)[] = [];
    for (const value of [at - 2, at - 1, at, at + 1]) {
      // What cannot occur is not tried: there a tool may say anything.
      const tried = Math.min(Math.max(value, domain?.from ?? value), domain?.to ?? value);
      const world = writeAttribute(call, { cases, name, value: tried });
      const answer = world && (await tryCall(observed, { world }, signal));
      takes.push(answer && isSuccess(answer, observed.call));
      if (world === undefined || answer === undefined || takes.at(-1) === true) continue;
      const written = findRefusedWrite(answer, { call: observed.call, world });
      if (written !== undefined)
        return {
          code: 'tool-refusal-writes',
          text: `it refuses ${said} ${tried}, and changes ${written} all the same`,
        };
    }
    const [before, last, next, after] = takes;
    const turn = before === last ? at + 1 : at - 1;
    if (takes.includes(undefined) || last !== next || before === after || starts.includes(turn)) continue;
    const [taken, refused] = before === true ? [turn - 1, turn] : [turn, turn - 1];
    const text = `table and tool disagree: it takes ${said} ${taken} and refuses it with ${refused}, where the rules tell ${at - 1} from ${at}`;
    return { code: 'tool-against-table', text };
  }
  return undefined;
}
