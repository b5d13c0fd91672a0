/** An input that shows a tool at work: from a gold path where there is one, else made up from the tool's schema. */
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { validateJson } from '../../../scenario/json/json-schema.ts';
import type { ToolkitMethod } from './toolkit.ts';

export function exampleFor({ input_schema: schema }: ToolkitMethod, gold: readonly JsonObject[]): JsonObject {
  const fitting = gold.find((args) => validateJson(schema, args).length === 0);
  return fitting ?? (madeUp(schema) as JsonObject);
}

function madeUp(schema: unknown): unknown {
  if (!isJsonObject(schema)) return 'example';
  const { type, properties, required, anyOf, enum: choices } = schema;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return madeUp(anyOf[0]);
  switch (type) {
    case 'object': {
      const known = isJsonObject(properties) ? properties : {};
      const needed = Array.isArray(required) ? required.map(String) : [];
      return Object.fromEntries(needed.map((name) => [name, madeUp(known[name])]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'example';
  }
}
