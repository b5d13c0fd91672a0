/** Finds tools that ignore an argument: where a gold path ends wrong, other values for it give the same answer and effect. */
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import type { ToolSpec } from '../../scenario/component.ts';
import { callTool, type Stage } from '../components/call-tool.ts';
import { getComponentPath } from '../components/components.ts';
import type { TrialCall } from '../components/trial-record.ts';
import type { GoldRun, Suspicion } from './gold-runs.ts';

/** A gold path with the stage of its sample. */
export type StagedGold = GoldRun & { stage: Stage };

const MOST_CALLS = 4;
const MOST_VALUES = 6;

type Probe = { call: TrialCall; world: JsonObject; stage: Stage };

/** Suspects only tools that wrote where an end is wrong: elsewhere an argument without effect may be harmless. */
export async function findDeafTools(
  runs: readonly StagedGold[],
  tools: readonly ToolSpec[],
  signal: AbortSignal,
): Promise<Suspicion[]> {
  const found: Suspicion[] = [];
  for (const tool of tools) {
    const blamed = runs.filter((run) => wroteWrong(run, tool.name));
    // A call that is refused for one argument ignores the others: right calls of the same tool are further evidence.
    const others = runs.filter((run) => !blamed.includes(run));
    const probes = [blamed, others].flatMap((some) =>
      some.flatMap((run) => listProbes(run, tool.name)).slice(0, MOST_CALLS),
    );
    const [first] = blamed;
    if (first === undefined || probes.length === 0) continue;
    const ignored = await findIgnored(tool, { probes, known: collectValues(runs, tool) }, signal);
    if (ignored === undefined) continue;
    const samples = blamed.map(({ sample }) => sample);
    const at = getComponentPath(first.stage.paths, 'tools', tool.name);
    const text = `${at}: it ignores its argument "${ignored}": other values give the same answer and the same effect, and ${samples.length} gold paths end wrong where it wrote: ${samples.join(', ')}`;
    found.push({ problem: createProblem('tool-suspect', tool.name, text), samples });
  }
  return found;
}

function wroteWrong({ gold, differences }: GoldRun, tool: string): boolean {
  const written = gold.calls.filter((call) => call.tool === tool).flatMap(({ change }) => change);
  return differences.some((one) => written.some(({ path }) => arePointersNested(one.path, path)));
}

/** Lists the calls of a tool, each with the world before it. */
function listProbes({ gold, stage }: StagedGold, tool: string): Probe[] {
  let world = gold.before;
  return gold.calls.flatMap((call) => {
    const met = world;
    const next = applyPatch(met, call.change);
    if (next.ok) world = next.world;
    return call.tool === tool && !call.is_error ? [{ call, world: met, stage }] : [];
  });
}

/** Argument -> the values that gold paths and examples give it. */
function collectValues(runs: readonly GoldRun[], tool: ToolSpec): Map<string, unknown[]> {
  const inputs = [
    ...runs.flatMap(({ gold }) => gold.calls.filter((call) => call.tool === tool.name).map(({ input }) => input)),
    ...tool.examples.map(({ input }) => input),
  ];
  const values = new Map<string, unknown[]>();
  for (const [key, value] of inputs.flatMap((input) => Object.entries(input))) {
    const known = values.get(key) ?? [];
    if (!known.some((one) => sameJson(one, value))) values.set(key, [...known, value]);
  }
  return values;
}

type ProbeSet = { probes: readonly Probe[]; known: ReadonlyMap<string, readonly unknown[]> };

async function findIgnored(
  tool: ToolSpec,
  { probes, known }: ProbeSet,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const [key, values] of known) {
    const variants = probes.flatMap((probe) => {
      const given = probe.call.input[key];
      const others = [...values, ...inventedFor(given)].filter((value) => !sameJson(value, given));
      return others
        .map((value) => ({ probe, args: { ...probe.call.input, [key]: value } }))
        .filter(({ args }) => key in probe.call.input && validateJson(tool.input_schema, args).length === 0)
        .slice(0, MOST_VALUES);
    });
    if (variants.length > 0 && !(await hasEffect(tool.name, variants, signal))) return key;
  }
  return undefined;
}

async function hasEffect(
  tool: string,
  variants: readonly { probe: Probe; args: JsonObject }[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { probe, args } of variants) {
    const { output, change } = await callTool(probe.stage, { tool, args, world: probe.world }, signal);
    if (!sameJson(output, probe.call.output) || !sameJson(change, probe.call.change)) return true;
  }
  return false;
}

function inventedFor(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}-other`];
  if (typeof value === 'number') return [value + 1];
  return typeof value === 'boolean' ? [!value] : [];
}
