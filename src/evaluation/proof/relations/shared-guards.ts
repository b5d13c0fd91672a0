/** Guards that most tools of a kind of record share, and one of them lacks: another's record, and nobody identified. */
import { createProblem } from '../../../scenario/attribution/problem-code.ts';
import { applyPatch } from '../../../scenario/json/patch.ts';
import type { Problem } from '../../../scenario/result.ts';
import { getComponentPath, type ComponentPaths } from '../../components/components.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type ObservedCall } from './observed-calls.ts';
import { findAsked, foldKey, listLeaves, type WorldRecord } from './world-records.ts';

/** Whether a tool refuses; undefined where the guard cannot be tried on the call. */
type Guard = { name: string; isRefused: (observed: ObservedCall, signal: AbortSignal) => Promise<boolean | undefined> };

/** A call about a record that belongs to somebody else than the asked one. */
const foreign: Guard = {
  name: 'a record of somebody else',
  isRefused: async (observed, signal) => {
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
const unidentified: Guard = {
  name: 'a conversation in which nobody was identified',
  isRefused: async (observed, signal) => {
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

/** Fewer tools show no custom. */
const LEAST_TOOLS = 3;

export async function findUnlikeGuards(
  observed: ReadonlyMap<string, readonly ObservedCall[]>,
  paths: ComponentPaths | undefined,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const guard of [foreign, unidentified]) {
    const tried: { tool: string; collection: string; call: ObservedCall; isRefused: boolean }[] = [];
    for (const [tool, calls] of observed) {
      for (const call of calls) {
        const isRefused = await guard.isRefused(call, signal);
        const [record] = findAsked(call.call.input, call.world).named;
        if (isRefused === undefined || record === undefined) continue;
        tried.push({ tool, collection: record.collection, call, isRefused });
        break;
      }
    }
    for (const same of Map.groupBy(tried, ({ collection }) => collection).values()) {
      const lacking = same.filter(({ isRefused }) => !isRefused);
      const [first] = lacking;
      if (first === undefined || lacking.length > 1 || same.length < LEAST_TOOLS) continue;
      const others = same.filter(({ isRefused }) => isRefused).map(({ tool }) => tool);
      const message = `${getComponentPath(paths, 'tools', first.tool)}: it does not refuse ${guard.name}, as ${others.join(', ')} do: ${describeCall(first.call.call)}`;
      problems.push(createProblem('tool-guard-missing', first.tool, message));
    }
  }
  return problems;
}
