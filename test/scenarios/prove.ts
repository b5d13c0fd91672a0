/** A small in-process prover: replays paths on the components of a file tree and judges them, as the harness will. */
import { isDeepStrictEqual } from 'node:util';
import { CheckerAnswer, CheckerSpec, ToolSpec, type TracedCall } from '../../src/scenario/component.ts';
import { listCalls, type SampleCall, type PatchOperation, Sample } from '../../src/scenario/sample.ts';
import type { Tree } from './script-tree.ts';

export type World = Record<string, unknown>;
type Tool = { spec: ToolSpec; run: (input: Record<string, unknown>, world: World) => unknown };
type Checker = { spec: CheckerSpec; check: (input: unknown) => unknown };

export type Components = {
  tools: Map<string, Tool>;
  checkers: Map<string, Checker>;
  samples: Sample[];
  worlds: Map<string, World>;
};

export type Path = { calls: TracedCall[]; before: World; after: World; says: string[]; threw: string[] };
export type Judgement = { checker: string; pass: boolean; broken: boolean; reason: string };

/** Reads every component below `dir`, each named as its file. */
export async function loadComponents(tree: Tree, dir: string): Promise<Components> {
  const components: Components = { tools: new Map(), checkers: new Map(), samples: [], worlds: new Map() };
  for (const [path, text] of tree) {
    if (!path.startsWith(`${dir}/`)) continue;
    const [kind, name = '', rest] = path.slice(dir.length + 1).split('/');
    if (kind === 'tools') components.tools.set(name.replace('.mjs', ''), asTool(await importText(text)));
    if (kind === 'checkers') components.checkers.set(name.replace('.mjs', ''), asChecker(await importText(text)));
    if (kind === 'samples' && rest !== undefined) components.worlds.set(rest, JSON.parse(text) as World);
    if (kind === 'samples' && rest === undefined) components.samples.push(Sample.parse(JSON.parse(text)));
  }
  return components;
}

async function importText(text: string): Promise<Record<string, unknown>> {
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`)) as Record<
    string,
    unknown
  >;
}

function asTool(module: Record<string, unknown>): Tool {
  return { spec: ToolSpec.parse(module['tool']), run: module['run'] as Tool['run'] };
}

function asChecker(module: Record<string, unknown>): Checker {
  return { spec: CheckerSpec.parse(module['checker']), check: module['check'] as Checker['check'] };
}

export function startWorld(sample: Sample, components: Components): World {
  if ('world' in sample.start) return structuredClone(sample.start.world);
  const base = components.worlds.get(sample.start.base);
  if (base === undefined) throw new Error(`${sample.id}: no world is named ${sample.start.base}`);
  return applyPatch(base, sample.start.patch);
}

export function applyPatch(world: World, patch: readonly PatchOperation[]): World {
  const result = structuredClone(world);
  for (const operation of patch) {
    const keys = operation.path.slice(1).split('/');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((at, key) => (at as World)[key], result) as World;
    if (operation.op === 'remove') delete parent[last];
    else if (operation.op === 'add' && Array.isArray(parent)) parent.splice(Number(last), 0, operation.value);
    else parent[last] = structuredClone(operation.value);
  }
  return result;
}

/** One call; the world changes in place, and what is thrown is an error of the tool, as in the harness. */
export function callTool(components: Components, world: World, step: number, name: string, input: World): TracedCall {
  const tool = components.tools.get(name);
  if (tool === undefined) throw new Error(`no tool is named ${name}`);
  try {
    const output = JSON.parse(JSON.stringify(tool.run(structuredClone(input), world))) as unknown;
    return { step, tool: name, input, output, is_error: false };
  } catch (error) {
    return { step, tool: name, input, output: String(error), is_error: true };
  }
}

export function replay(components: Components, sample: Sample, calls: SampleCall[], said: string): Path {
  const before = startWorld(sample, components);
  const after = structuredClone(before);
  const traced = calls.map(({ tool, args }, index) => callTool(components, after, index + 1, tool, args));
  return { calls: traced, before, after, says: said === '' ? [] : [said], threw: errorsIn(traced) };
}

export function errorsIn(calls: readonly TracedCall[]): string[] {
  return calls.filter((call) => call.is_error).map((call) => `${call.tool}: ${String(call.output)}`);
}

/** The sample's own expectation first, then its checkers. */
export function judge(components: Components, sample: Sample, path: Path): Judgement[] {
  return [judgeExpectation(sample, path), ...sample.checkers.map((id) => judgeWith(components, id, sample, path))];
}

function judgeExpectation(sample: Sample, path: Path): Judgement {
  const wrong = whatIsWrong(sample, path);
  return { checker: 'expect', pass: wrong === undefined, broken: false, reason: wrong ?? 'as expected' };
}

function whatIsWrong({ expect }: Sample, { before, after, calls, says }: Path): string | undefined {
  const ends =
    typeof expect.end_state === 'object' && 'any_of' in expect.end_state ? expect.end_state.any_of : [expect.end_state];
  const reached = ends.some((end) =>
    typeof end === 'string'
      ? end === 'any' || isDeepStrictEqual(after, before)
      : isDeepStrictEqual(after, applyPatch(before, end.patch)),
  );
  if (!reached) return 'another end state';
  const forbidden = calls.find((call) => expect.must_not_call.includes(call.tool));
  if (forbidden !== undefined) return `${forbidden.tool} was called`;
  const text = says.join('\n').toLowerCase();
  const unsaid = expect.must_say.find(({ any }) => !any.some((phrase) => text.includes(phrase.toLowerCase())));
  return unsaid === undefined ? undefined : `never said: ${unsaid.any.join(' / ')}`;
}

function judgeWith(components: Components, id: string, sample: Sample, path: Path): Judgement {
  const checker = components.checkers.get(id);
  if (checker === undefined) throw new Error(`${sample.id}: no checker is named ${id}`);
  const trace = { calls: path.calls, says: path.says };
  try {
    const input = structuredClone({
      sample,
      before: path.before,
      after: path.after,
      trace,
      final: path.says.at(-1) ?? '',
    });
    const { pass, reason } = CheckerAnswer.parse(checker.check(input));
    return { checker: id, pass, broken: false, reason };
  } catch (error) {
    return { checker: id, pass: false, broken: true, reason: String(error) };
  }
}

/** What verification must find, as `<component> <fault> <sample>`; empty when everything is proven. */
export function findUnproven(components: Components): string[] {
  return components.samples.flatMap((sample) => {
    const verdicts = (calls: SampleCall[], said: string): Judgement[] =>
      judge(components, sample, replay(components, sample, calls, said));
    const gold = verdicts(listCalls(sample.gold), sample.gold_says).filter(({ pass }) => !pass);
    const silent = verdicts([], '').filter(({ pass, broken }) => pass || broken);
    const talker = verdicts([], sample.gold_says)
      .slice(1)
      .filter(({ pass, broken }) => pass || broken);
    const wrong = verdicts(listCalls(sample.wrong), sample.wrong_says);
    return [
      ...gold.map(({ checker, reason }) => `${checker} rejects-gold ${sample.id}: ${reason}`),
      ...[...silent, ...talker].map(({ checker }) => `${checker} accepts-nothing ${sample.id}`),
      ...wrong.filter(({ broken }) => broken).map(({ checker }) => `${checker} breaks-on-wrong ${sample.id}`),
      ...(wrong[0]?.pass === true ? [`expect accepts-wrong ${sample.id}`] : []),
    ];
  });
}
