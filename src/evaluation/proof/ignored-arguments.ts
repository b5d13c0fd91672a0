/** Arguments of a tool that make no difference to what it answers and does. */
import type { ToolSpec } from '../../scenario/component.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import type { ToolCall } from '../components/call-tool.ts';
import { otherValues } from './strength/plays/other-values.ts';
import type { ArgumentValues } from './strength/plays/play.ts';

/** A call, and a way to make it with other arguments from the same world. */
export type VariedCall = { args: JsonObject; make: (args: JsonObject) => Promise<ToolCall> };

/** Gives each argument other values, and returns those of which none made a difference, with the number of tries. */
export async function findIgnoredArguments(
  tool: ToolSpec,
  calls: readonly VariedCall[],
  { values, most }: { values: ArgumentValues; most: number },
): Promise<{ name: string; tries: number }[]> {
  const probes = calls.flatMap(({ args, make }) =>
    Object.keys(args).flatMap((name) =>
      otherValues(tool, { name, args, values }, most).map(async (other) => {
        const [before, after] = await Promise.all([make(args), make({ ...args, [name]: other })]);
        const isAlike = sameJson(before.output, after.output) && sameJson(before.change, after.change);
        return { name, isAlike, isSound: before.error === undefined };
      }),
    ),
  );
  const made = (await Promise.all(probes)).filter(({ isSound }) => isSound);
  return [...Map.groupBy(made, ({ name }) => name)].flatMap(([name, own]) =>
    own.every(({ isAlike }) => isAlike) ? [{ name, tries: own.length }] : [],
  );
}
