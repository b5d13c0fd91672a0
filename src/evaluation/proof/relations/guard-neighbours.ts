/** Tools that write, beside their guards: they turn from yes to no where the approved table does, and take what it demands. */
import { createProblem, type ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import { buildTable, type TableAttribute } from '../../../scenario/cases/case-table.ts';
import { longAttribute, parseRange, type Cases } from '../../../scenario/cases/cases.ts';
import { listExpected, readCase } from '../../../scenario/cases/judge-by-table.ts';
import type { Case } from '../../../scenario/cases/format-cases.ts';
import type { Design } from '../../../scenario/design.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import type { Problem } from '../../../scenario/result.ts';
import { getComponentPath } from '../../components/components.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall } from './observed-calls.ts';
import { listWorlds, readVariedCase, writeAttribute, type CallInCase } from './vary-by-table.ts';
import { findRefusedWrite } from './write-relations.ts';

type GuardSearch = { design: Design; cases: Cases; known: Case; signal: AbortSignal };
type FoundGuard = { code: ProblemCode; text: string };

/** Says nothing of a tool that leaves a rule to its subject: only a guard that is there can stand in the wrong place. */
export async function findMisplacedGuards(
  tool: string,
  { calls, design }: { calls: readonly CallInCase[]; design: Design },
  signal: AbortSignal,
): Promise<Problem[]> {
  const { cases } = design.format;
  for (const call of calls) {
    const { world, stage } = call.observed;
    const known = cases && readCase(call.stated, world, cases);
    if (cases === undefined || known === undefined) continue;
    const search = { design, cases, known, signal };
    const found = (await findShiftedTurn(call, search)) ?? (await findRefusedDemand(call, search));
    if (found === undefined) continue;
    const { code, text } = found;
    return [createProblem(code, tool, `${getComponentPath(stage.paths, 'tools', tool)}: ${text}`)];
  }
  return [];
}

/** The call one number below, at, and one above each boundary of the rules. */
async function findShiftedTurn(call: CallInCase, search: GuardSearch): Promise<FoundGuard | undefined> {
  const { cases, known, design } = search;
  for (const attribute of buildTable(cases, design.rules.rules).attributes) {
    const { name, cells, isRange } = attribute;
    if (!isRange || known[name] === undefined) continue;
    for (const { from } of cells.slice(1)) {
      const found = await tryBoundary(call, { attribute, first: Number(from) }, search);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

type Boundary = { attribute: TableAttribute; first: number };

async function tryBoundary(
  call: CallInCase,
  { attribute: { name, cells }, first }: Boundary,
  { cases, signal }: GuardSearch,
): Promise<FoundGuard | undefined> {
  const { observed } = call;
  const domain = parseRange(String(longAttribute(cases.attributes[name] ?? []).values));
  const [below, at] = [first - 1, first];
  const takes: boolean[] = [];
  for (const value of [below - 1, below, at, at + 1]) {
    const isIn = domain !== undefined && value >= domain.from && value <= domain.to;
    // Beyond what can occur a tool may say anything: there it counts as what it does at the end.
    const tried = isIn ? value : value < below ? below : at;
    const world = writeAttribute(call, { cases, name, value: tried });
    const answer = world && (await tryCall(observed, { world }, signal));
    if (world === undefined || answer === undefined) return undefined;
    const isTaken = isSuccess(answer, observed.call);
    const written = isTaken ? undefined : findRefusedWrite(answer, { ...observed, world });
    if (written !== undefined) {
      const text = `it refuses ${describeCall(observed.call)} with ${name} ${tried}, and changes ${written} all the same`;
      return { code: 'tool-refusal-writes', text };
    }
    takes.push(isTaken);
  }
  const [before, last, next, after] = takes;
  if (last !== next || before === after) return undefined;
  const turn = before === last ? at + 1 : below;
  if (cells.some(({ from }) => from === turn)) return undefined;
  const [taken, refused] = before === true ? [turn - 1, turn] : [turn, turn - 1];
  const text =
    `table and tool disagree: it takes ${describeCall(observed.call)} with ${name} ${taken} and refuses it with ${refused}, ` +
    `where the rules tell ${below} from ${at}`;
  return { code: 'tool-against-table', text };
}

/** A number that gold gives as the table demands it: what the table demands on other sides of a boundary is taken there, too. */
async function findRefusedDemand(call: CallInCase, search: GuardSearch): Promise<FoundGuard | undefined> {
  const { observed } = call;
  const { cases, known, design, signal } = search;
  const { rules } = design.rules;
  const expected = listExpected(known, { cases, rules });
  const given = Object.entries(observed.call.input).flatMap(([argument, value]) =>
    [...expected].flatMap(([outcome, demanded]) => (demanded === value ? [{ argument, outcome }] : [])),
  );
  // Amounts that the world holds stand in other places of it, too, and cannot be varied in one of them.
  const isVaried = ({ attribute }: { attribute: string }): boolean => {
    const { values, from } = longAttribute(cases.attributes[attribute] ?? []);
    return typeof values !== 'string' || (from !== undefined && 'days' in from);
  };
  const worlds = given.length === 0 ? [] : listWorlds(call, cases, design).filter(isVaried);
  for (const varied of worlds) {
    const other = readVariedCase(call, varied, cases);
    const demands = other && listExpected(other, { cases, rules });
    for (const { argument, outcome } of given) {
      const wanted = demands?.get(outcome);
      if (typeof wanted !== 'number' || wanted <= 0 || wanted === expected.get(outcome)) continue;
      const args: JsonObject = { ...observed.call.input, [argument]: wanted };
      const answers = [
        await tryCall(observed, { world: varied.world }, signal),
        await tryCall(observed, { world: varied.world, args }, signal),
      ];
      const [isUsual, isWanted] = answers.map((one) => one && isSuccess(one, observed.call));
      // Where it refuses gold's own number as well, something else is in its way.
      if (isUsual !== true || isWanted !== false) continue;
      const where = `with ${varied.attribute} ${String(varied.value)}`;
      const text = `table and tool disagree: it refuses ${argument} ${wanted} ${where}, which the table demands as ${outcome}, and takes ${String(observed.call.input[argument])} there`;
      return { code: 'tool-against-table', text };
    }
  }
  return undefined;
}
