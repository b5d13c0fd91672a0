/** Proves one tool on its own examples: it answers each, twice the same, and changes only what it may change. */
import type { ToolSpec } from '../../scenario/component.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { createProblem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import { callTool, type ToolCall } from '../components/call-tool.ts';
import { getComponentPath, findWorld } from '../components/components.ts';
import type { ToolProving } from './fragile-tools.ts';

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
    const world = typeof named === 'string' ? findWorld(worlds, named) : named;
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
      report(call.error === 'bad_input' ? 'tool-example-invalid' : 'tool-failed', formatOutput(call));
    else if (!sameJson(call.output, again.output) || !sameJson(call.change, again.change)) {
      report('tool-nondeterministic', 'it does not answer the same twice');
    } else if (call.change.length > 0 && isReadOnly(tool, design)) {
      report('tool-changes-world', `it changes ${call.change[0]?.path}; format_spec.yaml says changes_world: false`);
    }
  }
  return { problems, changes };
}

function isReadOnly(tool: ToolSpec, design: ToolDemands): boolean {
  return design.format.tools.some(({ name, changes_world: changes }) => name === tool.name && !changes);
}

function formatOutput({ output }: ToolCall): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
