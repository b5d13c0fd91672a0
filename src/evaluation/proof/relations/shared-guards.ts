/** Customs that most tools share, and one of them lacks: another's record, nobody identified, spellings of keys. */
import { createProblem, type ProblemCode } from '../../../scenario/attribution/problem-code.ts';
import { sameJson } from '../../../scenario/json/json-value.ts';
import { applyPatch } from '../../../scenario/json/patch.ts';
import type { Problem } from '../../../scenario/result.ts';
import { getComponentPath, type ComponentPaths } from '../../components/components.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { findForeignWrite } from './loose-identity.ts';
import { isSuccess, tryCall, type ObservedCall } from './observed-calls.ts';
import { findAsked, findOwned, foldKey, listLeaves, listRecords, type WorldRecord } from './world-records.ts';

/** Whether a tool does it; undefined where the custom cannot be tried on the call. */
type Custom = {
  code: ProblemCode;
  name: string;
  /** Tools of all records are compared, because the custom does not depend on the kind of record. */
  isCommon: boolean;
  isKept: (observed: ObservedCall, signal: AbortSignal) => Promise<boolean | undefined>;
};

/** A call about a record that belongs to somebody else than the asked one. */
const foreign: Custom = {
  code: 'tool-guard-missing',
  name: 'refuse a record of somebody else',
  isCommon: false,
  isKept: async (observed, signal) => {
    const { call, world } = observed;
    const { named, others } = findAsked(call.input, world);
    const [record] = named.filter((one) => others.some(({ collection }) => collection === one.collection));
    const other = others.find(({ collection }) => collection === record?.collection);
    const argument = Object.entries(call.input).find(
      ([, value]) => record !== undefined && foldKey(value) === foldKey(record.key),
    );
    if (other === undefined || argument === undefined) return undefined;
    const answer = await tryCall(observed, { args: { ...call.input, [argument[0]]: other.key } }, signal);
    return answer === undefined ? undefined : !isSuccess(answer, call);
  },
};

/** The call in the world as it was before anybody was identified. */
const unidentified: Custom = {
  code: 'tool-guard-missing',
  name: 'refuse a conversation in which nobody was identified',
  isCommon: false,
  isKept: async (observed, signal) => {
    const { call, world, stage } = observed;
    const start = stage.startWorld;
    if (start === undefined) return undefined;
    const { related } = findAsked(call.input, world);
    const keys = new Set(related.map(({ key }) => foldKey(key)));
    const signs = listLeaves(world).filter(
      ({ path, value }) =>
        keys.has(foldKey(value)) && !related.some((record: WorldRecord) => path.startsWith(record.path)),
    );
    const before = new Map(listLeaves(start).map((leaf) => [leaf.path, leaf.value]));
    const signed = signs.filter(({ path }) => before.has(path) && before.get(path) === null);
    if (signed.length === 0) return undefined;
    const out = applyPatch(
      world,
      signed.map(({ path }) => ({ op: 'replace' as const, path, value: null })),
    );
    const answer = out.ok ? await tryCall(observed, { world: out.world }, signal) : undefined;
    return answer === undefined ? undefined : !isSuccess(answer, call);
  },
};

/** The asked record, with another person as its owner: all else stays, so that no other guard speaks. */
const owned: Custom = {
  code: 'tool-guard-missing',
  name: 'refuse what belongs to somebody else',
  isCommon: true,
  isKept: async (observed, signal) => {
    const { call, world } = observed;
    const { own, foreign: others } = findOwned(world);
    const [self] = own;
    const other = others.find(({ collection }) => collection === self?.collection);
    const said = new Set(listLeaves(call.input).map(({ value }) => foldKey(value)));
    const asked = own.filter(({ key, collection }) => said.has(foldKey(key)) && collection !== self?.collection);
    const owners = asked.flatMap(({ value, path }) =>
      listLeaves(value, path).filter((leaf) => foldKey(leaf.value) === foldKey(self?.key)),
    );
    if (other === undefined || owners.length === 0) return undefined;
    const given = applyPatch(
      world,
      owners.map(({ path }) => ({ op: 'replace' as const, path, value: other.key })),
    );
    const answer = given.ok ? await tryCall(observed, { world: given.world }, signal) : undefined;
    return answer === undefined ? undefined : !isSuccess(answer, call);
  },
};

/** The key of the asked record in small letters. */
const spelling: Custom = {
  code: 'tool-spelling',
  name: 'take a key in small letters',
  isCommon: true,
  isKept: async (observed, signal) => {
    const { call, world } = observed;
    const keys = new Set(listRecords(world).map(({ key }) => key));
    const named = Object.entries(call.input).filter(
      ([, value]) => typeof value === 'string' && keys.has(value) && value !== value.toLowerCase(),
    );
    const lower = Object.fromEntries(named.map(([name, value]) => [name, String(value).toLowerCase()]));
    const answer =
      named.length === 0 ? undefined : await tryCall(observed, { args: { ...call.input, ...lower } }, signal);
    return answer === undefined ? undefined : sameJson(answer.change, call.change) && isSuccess(answer, call);
  },
};

/** Fewer tools show no custom. */
const LEAST_TOOLS = 3;

type TriedTool = { tool: string; collection: string; call: ObservedCall; isKept: boolean };

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
    for (const [tool, calls] of observed)
      for (const call of calls) {
        const text = await findForeignWrite(call, signal);
        if (text !== undefined) add('tool-guard-missing', tool, text);
      }
  };
  for (const custom of [foreign, owned, unidentified, spelling]) {
    const tried: TriedTool[] = [];
    for (const [tool, calls] of observed) {
      for (const call of calls) {
        const isKept = await custom.isKept(call, signal);
        const [record] = findAsked(call.call.input, call.world).named;
        const collection = custom.isCommon ? '' : record?.collection;
        if (isKept === undefined || collection === undefined) continue;
        tried.push({ tool, collection, call, isKept });
        break;
      }
    }
    // Where tools leave it to the subject whose record it is, none of them lacks a guard.
    if (custom === owned && tried.some(({ isKept }) => isKept)) await addForeignWrites();
    for (const same of Map.groupBy(tried, ({ collection }) => collection).values()) {
      const keeping = same.filter(({ isKept }) => isKept).map(({ tool }) => tool);
      const lacking = same.filter(({ isKept }) => !isKept);
      if (same.length < LEAST_TOOLS || lacking.length >= keeping.length) continue;
      for (const { tool, call } of lacking)
        add(custom.code, tool, `it does not ${custom.name}, as ${keeping.join(', ')} do: ${describeCall(call.call)}`);
    }
  }
  return problems;
}
