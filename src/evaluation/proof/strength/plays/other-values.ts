/** Other values for one argument of a call: those that its schema lists, those that other samples give it, or a neighbour. */
import { foldText } from '../../../../scenario/language/fold-text.ts';
import { listCalls, type Sample, type SampleCall } from '../../../../scenario/sample.ts';
import { validateJson } from '../../../../scenario/json/json-schema.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../../../scenario/json/json-value.ts';
import type { ToolSpec } from '../../../../scenario/component.ts';
import type { Components } from '../../../components/components.ts';
import type { ArgumentValues } from './play.ts';

/** Collects the values that samples and examples give each argument, in the order of the files. */
export function argumentValues({ tools, samples }: Pick<Components, 'tools' | 'samples'>): ArgumentValues {
  const values = new Map<string, unknown[]>();
  const note = ({ tool, args }: SampleCall): void => {
    for (const [name, value] of Object.entries(args)) {
      const known = values.get(`${tool}.${name}`) ?? [];
      if (!known.some((one) => sameJson(one, value))) values.set(`${tool}.${name}`, [...known, value]);
    }
  };
  for (const { name, examples } of tools) for (const { input } of examples) note({ tool: name, args: input });
  for (const { sample } of samples) for (const call of listCalls([...sample.gold, ...sample.wrong])) note(call);
  return values;
}

/** True for free text of three words or more, which nobody has to repeat exactly; what its user dictates, such as an address, is none. */
export function isFreeText(
  tool: ToolSpec | undefined,
  { name, value, sample }: { name: string; value: unknown; sample: Pick<Sample, 'user'> },
): boolean {
  const schema = getArgumentSchema(tool, name);
  const isBound = ['enum', 'const', 'pattern', 'format'].some((key) => schema[key] !== undefined);
  if (typeof value !== 'string' || isBound || value.trim().split(/\s+/).length < 3) return false;
  return !Object.values(sample.user.knows).some((known) => foldText(known).trim() === foldText(value).trim());
}

/** Returns at most `most` other values, each allowed by the schema of the tool. */
export function otherValues(
  tool: ToolSpec | undefined,
  { name, args, values }: { name: string; args: JsonObject; values: ArgumentValues },
  most: number,
): unknown[] {
  const value = args[name];
  const { enum: listed } = getArgumentSchema(tool, name);
  const known = [
    ...(Array.isArray(listed) ? (listed as unknown[]) : []),
    ...(values.get(`${tool?.name}.${name}`) ?? []),
  ];
  const others = [...known, ...listNeighbours(value)].filter((one) => !sameJson(one, value));
  const distinct = others.filter((one, index) => others.findIndex((other) => sameJson(one, other)) === index);
  const isAllowed = (one: unknown): boolean =>
    tool === undefined || validateJson(tool.input_schema, { ...args, [name]: one }).length === 0;
  const allowed: unknown[] = [];
  for (const one of distinct) if (allowed.length < most && isAllowed(one)) allowed.push(one);
  return allowed;
}

function listNeighbours(value: unknown): unknown[] {
  if (typeof value === 'number') return [value - 1, value + 1];
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'string') return [`${value}-other`];
  return [];
}

export function getArgumentSchema(tool: ToolSpec | undefined, name: string): JsonObject {
  const properties = tool?.input_schema['properties'];
  const schema = isJsonObject(properties) ? properties[name] : undefined;
  return isJsonObject(schema) ? schema : {};
}
