/** Tools that do not do what they are given: an argument that never matters. */
import type { ToolSpec } from '../../../../scenario/component.ts';
import { sameJson, type JsonObject } from '../../../../scenario/json/json-value.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { Stage, ToolCall } from '../../../components/call-tool.ts';
import { getComponentPath, type Components } from '../../../components/components.ts';
import type { OpenSandbox } from '../../../../ports/sandbox.ts';
import { callOnce } from '../plays/call-once.ts';
import { otherValues } from '../plays/other-values.ts';
import type { ArgumentValues } from '../plays/play.ts';
import type { ComponentInputs } from '../mutants/try-mutants.ts';

const MOST_INPUTS = 12;
const MOST_VALUES = 3;

export type ProbeInput = {
  components: Components;
  tools: readonly ComponentInputs[];
  session: OpenSandbox;
  values: ArgumentValues;
  signal: AbortSignal;
};

type GivenInput = { args: JsonObject; world: JsonObject };

export async function toolDoubts({ components, tools, session, values, signal }: ProbeInput): Promise<Finding[]> {
  const specs = new Map(components.tools.map((tool) => [tool.name, tool]));
  const stage: Stage = { tools: specs, session, paths: components.paths, worldSchema: undefined };
  const findings: Finding[] = [];
  for (const { name, inputs } of tools) {
    const tool = specs.get(name);
    const given = inputs
      .map(({ text }) => JSON.parse(text) as [JsonObject, JsonObject])
      .map(([args, world]) => ({ args, world }));
    if (tool === undefined) continue;
    const probes = await runProbes({ tool, given }, { stage, values }, signal);
    const at = getComponentPath(components.paths, 'tools', name);
    findings.push(...ignoredArguments(name, at, probes));
  }
  return findings;
}

/** A call, and the same call with another value for one argument. */
type Probe = { name: string; value: unknown; other: unknown; before: ToolCall; after: ToolCall };

async function runProbes(
  { tool, given }: { tool: ToolSpec; given: readonly GivenInput[] },
  { stage, values }: { stage: Stage; values: ProbeInput['values'] },
  signal: AbortSignal,
): Promise<Probe[]> {
  const inputs = given.slice(-MOST_INPUTS).flatMap(({ args, world }) =>
    Object.keys(args).flatMap((name) =>
      otherValues(tool, { name, args, values }, MOST_VALUES).map((other) => ({
        name,
        value: args[name],
        other,
        args,
        world,
      })),
    ),
  );
  const probes = await Promise.all(
    inputs.map(async ({ name, value, other, args, world }): Promise<Probe> => {
      const before = await callOnce(stage, { tool: tool.name, args, world }, signal);
      const after = await callOnce(stage, { tool: tool.name, args: { ...args, [name]: other }, world }, signal);
      return { name, value, other, before, after };
    }),
  );
  return probes.filter(({ before }) => before.error === undefined);
}

function ignoredArguments(tool: string, at: string, probes: readonly Probe[]): Finding[] {
  return [...Map.groupBy(probes, ({ name }) => name)].flatMap(([name, own]): Finding[] => {
    const matters = own.some(
      ({ before, after }) => !sameJson(before.output, after.output) || !sameJson(before.change, after.change),
    );
    if (matters) return [];
    const message = `${at}: it answers and does the same whatever ${name} is (${own.length} tries): it ignores the argument`;
    return [{ code: 'argument-ignored', component: tool, message }];
  });
}
