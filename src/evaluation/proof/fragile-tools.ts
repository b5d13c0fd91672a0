/** Finds tools that break on inputs which their own schema allows: variants of their examples. */
import { validateJson } from '../../scenario/json/json-schema.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, joinPointer } from '../../scenario/json/patch.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import type { ToolSpec } from '../../scenario/component.ts';
import { callTool, isToolFault, type Stage } from '../components/call-tool.ts';
import { getComponentPath, findWorld, type Components } from '../components/components.ts';

const MOST_VARIANTS = 12;

/** Tries the tools with which nothing else is wrong. */
export async function findFragileTools(
  { components, problems, stage }: { components: Components; problems: readonly Problem[]; stage: Stage },
  signal: AbortSignal,
): Promise<Problem[]> {
  const faulty = new Set(problems.map(({ component }) => component));
  const sound = components.tools.filter(({ name }) => !faulty.has(name));
  const found = await Promise.all(sound.map((tool) => findFragility(tool, { components, stage }, signal)));
  return found.flat();
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
  const world = typeof example.world === 'string' ? findWorld(worlds, example.world) : example.world;
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
  return listLeaves(input, '').flatMap(([path, leaf]) =>
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

function listLeaves(value: unknown, path: string): [path: string, leaf: unknown][] {
  if (!isJsonObject(value) && !Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, child]) => listLeaves(child, path + joinPointer([key])));
}
