/** Customs of tools that sister tools keep: spelling, records of others, who is signed in, and what was done already. */
import { createProblem, type ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import { sameJson } from '../../../scenario/json/json-value.ts';
import { applyPatch } from '../../../scenario/json/patch.ts';
import type { Problem } from '../../../scenario/result.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { getComponentPath, type ComponentPaths } from '../../components/components.ts';
import type { TrialCall } from '../../components/trial-record.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { findFirst, isSuccess, tryCall, type CallVariant, type ObservedCall, type Relation } from './observed-calls.ts';
import { findAsked, findOwned, foldKey, listLeaves, listRecords } from './world-records.ts';

/** A custom is tried by making a call in another way: whether a tool keeps it is in the answer. */
type Custom = {
  code: ProblemCode;
  name: string;
  /** Tools of all records are compared, because the custom does not depend on the kind of record. */
  isCommon: boolean;
  /** Undefined where the custom cannot be tried on the call. */
  vary: (observed: ObservedCall) => CallVariant | undefined;
  isKept: (answer: ToolCall, call: TrialCall) => boolean;
};

/** A guard is kept where the varied call is refused. */
const GUARD = {
  code: 'tool-guard-missing',
  isKept: (answer: ToolCall, call: TrialCall) => !isSuccess(answer, call),
} as const;

/** A call about a record that belongs to somebody else than the asked one. */
const foreign: Custom = {
  ...GUARD,
  name: 'refuse a record of somebody else',
  isCommon: false,
  vary: ({ call, world }) => {
    const { named, others } = findAsked(call.input, world);
    const [record] = named.filter((one) => others.some(({ collection }) => collection === one.collection));
    const other = others.find(({ collection }) => collection === record?.collection);
    const argument = Object.entries(call.input).find(
      ([, value]) => record !== undefined && foldKey(value) === foldKey(record.key),
    );
    return other && argument && { args: { ...call.input, [argument[0]]: other.key } };
  },
};

/** The call in the world as it was before anybody was identified. */
const unidentified: Custom = {
  ...GUARD,
  name: 'refuse a conversation in which nobody was identified',
  isCommon: false,
  vary: ({ call, world, stage }) => {
    const { related } = findAsked(call.input, world);
    const keys = new Set(related.map(({ key }) => foldKey(key)));
    const signs = listLeaves(world).filter(
      ({ path, value }) => keys.has(foldKey(value)) && !related.some((record) => path.startsWith(record.path)),
    );
    const before = new Map(listLeaves(stage.startWorld).map((leaf) => [leaf.path, leaf.value]));
    const signed = signs.filter(({ path }) => before.get(path) === null);
    return signed.length === 0 ? undefined : { put: signed.map(({ path }) => ({ path, value: null })) };
  },
};

/** The asked record, with another person as its owner: all else stays, so that no other guard speaks. */
const owned: Custom = {
  ...GUARD,
  name: 'refuse what belongs to somebody else',
  isCommon: true,
  vary: ({ call, world }) => {
    const { own, foreign: others } = findOwned(world);
    const [self] = own;
    const other = others.find(({ collection }) => collection === self?.collection);
    const said = new Set(listLeaves(call.input).map(({ value }) => foldKey(value)));
    const asked = own.filter(({ key, collection }) => said.has(foldKey(key)) && collection !== self?.collection);
    const owners = asked.flatMap(({ value, path }) =>
      listLeaves(value, path).filter((leaf) => foldKey(leaf.value) === foldKey(self?.key)),
    );
    if (other === undefined || owners.length === 0) return undefined;
    return { put: owners.map(({ path }) => ({ path, value: other.key })) };
  },
};

/** The first key of the call in small letters: it says which record is meant, and what follows is chosen from what was read. */
const spelling: Custom = {
  code: 'tool-spelling',
  name: 'take a key in small letters',
  isCommon: true,
  vary: ({ call, world }) => {
    const keys = new Set(listRecords(world).map(({ key }) => key));
    const [name, value] = Object.entries(call.input).find(([, one]) => typeof one === 'string' && keys.has(one)) ?? [];
    if (name === undefined || typeof value !== 'string' || value === value.toLowerCase()) return undefined;
    return { args: { ...call.input, [name]: value.toLowerCase() } };
  },
  isKept: (answer, call) => sameJson(answer.change, call.change) && isSuccess(answer, call),
};

/** The same call once more, right after it: what was done is done. Calls that only add lines may be made as often as wanted. */
const repeated: Custom = {
  ...GUARD,
  code: 'tool-does-twice',
  name: 'refuse to do the same twice',
  isCommon: true,
  vary: ({ call, world }) => {
    const isState = changesRecord({ call, world });
    const isAbout = findAsked(call.input, world).named.length > 0 && call.change.some(({ op }) => op === 'add');
    const after = applyPatch(world, call.change);
    return after.ok && (isState || isAbout) ? { world: after.world } : undefined;
  },
};

/** Tools that change a record are compared among themselves too: what only adds a line may well be done again. */
const repeatedOnRecord: Custom = {
  ...repeated,
  vary: (observed) => (changesRecord(observed) ? repeated.vary(observed) : undefined),
};

function changesRecord({ call, world }: Pick<ObservedCall, 'call' | 'world'>): boolean {
  const records = listRecords(world);
  return call.change.some(({ path }) => records.some((record) => path.startsWith(`${record.path}/`)));
}

/** So many repetitions reach every limit of a tool. */
const MOST_REPETITIONS = 12;

/** A tool that may do the same several times, and refuses it in the end, does so by design: it lacks nothing. */
async function isRefusedInTheEnd(observed: ObservedCall, { world }: ToolCall, signal: AbortSignal): Promise<boolean> {
  let current = world;
  for (let times = 0; times < MOST_REPETITIONS; times += 1) {
    const answer = await tryCall(observed, { world: current }, signal);
    if (answer === undefined) return false;
    if (!isSuccess(answer, observed.call)) return true;
    current = answer.world;
  }
  return false;
}

/** Fewer tools show no custom. */
const LEAST_TOOLS = 3;

/** `isMeant`: it does not keep the custom by design. */
type TriedTool = { tool: string; collection: string; call: ObservedCall; isKept: boolean; isMeant: boolean };

export async function findUnlikeTools(
  observed: ReadonlyMap<string, readonly ObservedCall[]>,
  paths: ComponentPaths | undefined,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const add = (code: ProblemCode, tool: string, text: string): void => {
    const isKnown = problems.some((one) => one.code === code && one.component === tool);
    if (!isKnown) problems.push(createProblem(code, tool, `${getComponentPath(paths, 'tools', tool)}: ${text}`));
  };
  const addForeignWrites = async (): Promise<void> => {
    for (const [tool, calls] of observed) {
      const text = await findFirst(findForeignWrite, calls, signal);
      if (text !== undefined) add('tool-guard-missing', tool, text);
    }
  };
  for (const custom of [foreign, owned, unidentified, repeated, repeatedOnRecord, spelling]) {
    const tried: TriedTool[] = [];
    for (const [tool, calls] of observed) {
      for (const call of calls) {
        const variant = custom.vary(call);
        const answer = variant && (await tryCall(call, variant, signal));
        const [record] = findAsked(call.call.input, call.world).named;
        const collection = custom.isCommon ? '' : record?.collection;
        if (answer === undefined || collection === undefined) continue;
        const isKept = custom.isKept(answer, call.call);
        const isMeant = !isKept && custom.code === repeated.code && (await isRefusedInTheEnd(call, answer, signal));
        tried.push({ tool, collection, call, isKept, isMeant });
        break;
      }
    }
    // Where tools leave it to the subject whose record it is, none of them lacks a guard.
    if (custom === owned && tried.some(({ isKept }) => isKept)) await addForeignWrites();
    for (const same of Map.groupBy(tried, ({ collection }) => collection).values()) {
      const keeping = same.filter(({ isKept }) => isKept).map(({ tool }) => tool);
      const lacking = same.filter(({ isKept }) => !isKept);
      if (same.length < LEAST_TOOLS || lacking.length >= keeping.length) continue;
      for (const { tool, call } of lacking.filter(({ isMeant }) => !isMeant))
        add(custom.code, tool, `it does not ${custom.name}, as ${keeping.join(', ')} do: ${describeCall(call.call)}`);
    }
  }
  return problems;
}

/** Nobody's call changes a record that says of itself that it is another's. */
export const findForeignWrite: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const { own, foreign } = findOwned(world);
  const writes = (change: ToolCall['change']) =>
    foreign.find(({ path }) => change.some((one) => one.path.startsWith(`${path}/`)));
  if (call.change.length === 0 || own.length === 0 || writes(call.change) !== undefined) return undefined;
  const records = listRecords(world);
  for (const [name, value] of Object.entries(call.input)) {
    const named = records.find(({ key }) => foldKey(key) === foldKey(value));
    const other = foreign.find(({ collection }) => collection === named?.collection);
    if (other === undefined || foldKey(other.key) === foldKey(value)) continue;
    const answer = await tryCall(observed, { args: { ...call.input, [name]: other.key } }, signal);
    const changed = answer !== undefined && isSuccess(answer, call) ? writes(answer.change) : undefined;
    if (changed !== undefined)
      return `it changes what belongs to somebody else: ${describeCall(call)} with ${name} ${JSON.stringify(other.key)} changes ${changed.path}`;
  }
  return undefined;
};
