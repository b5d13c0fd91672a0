/** Proves tools on their own examples, on variants that their schemas allow, and where a gold path ends wrong on other arguments. */
import type { ToolSpec } from '../../scenario/component.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { createProblem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import { callTool, isToolFault, type Stage } from '../components/call-tool.ts';
import { getComponentPath, findWorld, type Components } from '../components/components.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import { listLeaves } from './relations/world-records.ts';
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import { worldsBefore } from '../components/trial-record.ts';
import type { GoldRun, Suspicion } from './gold-runs.ts';
import { findIgnoredArguments, type VariedCall } from './ignored-arguments.ts';
import { argumentValues } from './strength/plays/other-values.ts';

/** `changes`: at least one of its examples changes the world. */
export type ToolProof = { problems: Problem[]; changes: boolean };

/** The part of a design that describes tools. */
type ToolDemands = { format: Pick<FormatSpec, 'world' | 'tools'> };

export async function verifyTool(
  tool: ToolSpec,
  { components: { worlds, large }, design, stage }: ToolProving & { design: ToolDemands },
  signal: AbortSignal,
): Promise<ToolProof> {
  const problems: Problem[] = [];
  let changes = false;
  for (const [index, { input, world: named }] of tool.examples.entries()) {
    const at = `${getComponentPath(stage.paths, 'tools', tool.name)}: example ${index}`;
    const report = (code: ProblemCode, message: string): void =>
      void problems.push(createProblem(code, tool.name, `${at}: ${message}`));
    const world = findWorld(worlds, named);
    if (world === undefined) {
      report('tool-example-invalid', `there is no world ${JSON.stringify(named)} in samples/worlds`);
      continue;
    }
    // An inline world may contain only what the tool needs.
    const fits = validateJson(design.format.world, world).length === 0;
    const base = large?.get(world)?.world;
    const on = { ...stage, worldSchema: fits ? design.format.world : undefined, base };
    const request = { tool: tool.name, args: input, world };
    const call = await callTool(on, request, signal);
    const again = await callTool(on, request, signal);
    changes ||= call.change.length > 0;
    if (call.error !== undefined)
      report(
        call.error === 'bad_input' ? 'tool-example-invalid' : 'tool-failed',
        typeof call.output === 'string' ? call.output : JSON.stringify(call.output),
      );
    else if (!sameJson(call.output, again.output) || !sameJson(call.change, again.change)) {
      report('tool-nondeterministic', 'it does not answer the same twice');
    } else if (
      call.change.length > 0 &&
      design.format.tools.some((one) => one.name === tool.name && !one.changes_world)
    ) {
      report('tool-changes-world', `it changes ${call.change[0]?.path}; format_spec.yaml says changes_world: false`);
    }
  }
  return { problems, changes };
}

const MOST_VARIANTS = 12;

/** Tries the tools with which nothing else is wrong. */
export async function findFragileTools(
  { components, problems, stage }: { components: Components; problems: readonly Problem[]; stage: Stage },
  signal: AbortSignal,
): Promise<Problem[]> {
  const faulty = new Set(problems.map(({ component }) => component));
  const sound = components.tools.filter(({ name }) => !faulty.has(name));
  return (await Promise.all(sound.map((tool) => findFragility(tool, { components, stage }, signal)))).flat();
}

/** Inputs of the proof of a tool. */
export type ToolProving = { components: Pick<Components, 'worlds' | 'large'>; stage: Stage };

/** One doubt for a tool that breaks: a subject may send such an input, and would fail through the tool's fault. */
async function findFragility(
  tool: ToolSpec,
  { components: { worlds, large }, stage }: ToolProving,
  signal: AbortSignal,
): Promise<Problem[]> {
  const [example] = tool.examples;
  if (example === undefined) return [];
  const world = findWorld(worlds, example.world);
  const allowed = listVariants(example.input).filter((input) => validateJson(tool.input_schema, input).length === 0);
  if (world === undefined) return [];
  const on = { ...stage, base: large?.get(world)?.world };
  for (const input of allowed.slice(0, MOST_VARIANTS)) {
    const { error, output } = await callTool(on, { tool: tool.name, args: input, world }, signal);
    if (!isToolFault(error)) continue;
    const shown = `${getComponentPath(stage.paths, 'tools', tool.name)}: it breaks on ${JSON.stringify(input)}`;
    return [createProblem('tool-fragile', tool.name, `${shown}, which its schema allows: ${String(output)}`)];
  }
  return [];
}

/** Lists inputs that differ from the given one in a single leaf. */
function listVariants(input: JsonObject): JsonObject[] {
  return listLeaves(input).flatMap(({ path, value: leaf }) =>
    othersFor(leaf).flatMap((value) => {
      const changed = applyPatch(input, [{ op: 'replace', path, value }]);
      return changed.ok && !sameJson(changed.world, input) ? [changed.world] : [];
    }),
  );
}

function othersFor(leaf: unknown): unknown[] {
  if (typeof leaf === 'string') return [leaf.toLowerCase(), leaf.toUpperCase(), ` ${leaf} `, 'no-such-thing', ''];
  if (typeof leaf === 'number') return [0, -1, leaf + 1e6];
  return [];
}

/** A gold path with the stage of its sample. */
export type StagedGold = GoldRun & { stage: Stage };

const MOST_CALLS = 4;
const MOST_VALUES = 6;

/** Suspects only tools that wrote where an end is wrong: elsewhere an argument without effect may be harmless. */
export async function findDeafTools(
  runs: readonly StagedGold[],
  components: Pick<Components, 'tools' | 'samples'>,
  signal: AbortSignal,
): Promise<Suspicion[]> {
  const found: Suspicion[] = [];
  const values = argumentValues(components);
  for (const tool of components.tools) {
    const blamed = runs.filter((run) => wroteWrong(run, tool.name));
    // A call that is refused for one argument ignores the others: right calls of the same tool are further evidence.
    const others = runs.filter((run) => !blamed.includes(run));
    const calls = [blamed, others].flatMap((some) =>
      some.flatMap((run) => listCalls(run, tool.name, signal)).slice(0, MOST_CALLS),
    );
    const [first] = blamed;
    if (first === undefined) continue;
    const [ignored] = await findIgnoredArguments(tool, calls, { values, most: MOST_VALUES });
    if (ignored === undefined) continue;
    const samples = blamed.map(({ sample }) => sample);
    const at = getComponentPath(first.stage.paths, 'tools', tool.name);
    const text = `${at}: it ignores its argument "${ignored.name}": other values give the same answer and the same effect, and ${samples.length} gold paths end wrong where it wrote: ${samples.join(', ')}`;
    found.push({ problem: createProblem('tool-suspect', tool.name, text), samples });
  }
  return found;
}

function wroteWrong({ gold, differences }: GoldRun, tool: string): boolean {
  const written = gold.calls.filter((call) => call.tool === tool).flatMap(({ change }) => change);
  return differences.some((one) => written.some(({ path }) => arePointersNested(one.path, path)));
}

/** The calls of a tool, each from the world before it. */
function listCalls({ gold, stage }: StagedGold, tool: string, signal: AbortSignal): VariedCall[] {
  const worlds = worldsBefore(gold);
  return gold.calls.flatMap((call, index): VariedCall[] => {
    if (call.tool !== tool || call.is_error) return [];
    const world = worlds[index] ?? gold.before;
    return [{ args: call.input, make: (args) => callTool(stage, { tool, args, world }, signal) }];
  });
}
