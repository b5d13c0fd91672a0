/** The source of components that call a copied toolkit: a file per tool, and a checker for the tasks' predicates. */
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { readOwnText } from '../../../own-file.ts';
import { validateJson } from '../../../scenario/json/json-schema.ts';
import { fillProgram } from '../../fill-program.ts';
import type { Tau2Task } from './task.ts';
import type { ToolkitOffer, ToolkitMethod } from './toolkit.ts';

export type ToolShim = {
  /** The name in our harness; `method` is the toolkit's. */
  name: string;
  method: ToolkitMethod;
  side: 'assistant' | 'user';
  example: JsonObject;
};

/** Creates a shim for each tool of both sides; a user's tool with the name of one of the agent's is renamed. */
export function createShims({ assistant, user }: ToolkitOffer, tasks: readonly Tau2Task[]): ToolShim[] {
  const actions = tasks.flatMap(({ evaluation_criteria: criteria }) => criteria?.actions ?? []);
  const taken = new Set(assistant.map(({ name }) => name.toLowerCase()));
  const shim = (method: ToolkitMethod, side: ToolShim['side']): ToolShim => {
    const own = actions.filter(
      ({ name, requestor }) => name === method.name && (requestor === 'user') === (side === 'user'),
    );
    const inputs = own.map((action) => action.arguments);
    const plain = method.name.toLowerCase();
    const name = side === 'user' && taken.has(plain) ? `user_${plain}` : plain;
    return { name, method, side, example: findExample(method, inputs) };
  };
  return [...assistant.map((method) => shim(method, 'assistant')), ...user.map((method) => shim(method, 'user'))];
}

const TOOL_SHIM = readOwnText('./tool_shim.py', import.meta.url);
const ASSERTIONS_CHECKER = readOwnText('./assertions_checker.py', import.meta.url);

export function toolShim(shim: ToolShim, domain: string): string {
  const { name, method, example } = shim;
  const tool = {
    name,
    description: method.description,
    input_schema: method.input_schema,
    examples: [{ input: example, world: 'db' }],
  };
  const side = JSON.stringify(shim.side);
  return fillProgram(TOOL_SHIM, {
    name,
    domain,
    tool: JSON.stringify(tool, null, 4),
    side,
    method: JSON.stringify(method.name),
  });
}

/** `table` is inserted as data, never as code: sample -> the predicates on its end state. */
export function assertionsChecker(table: Readonly<Record<string, unknown>>, rules: readonly string[]): string {
  const checker = {
    id: 'assertions',
    description: 'Every predicate that the task names holds at the end.',
    rules,
  };
  return fillProgram(ASSERTIONS_CHECKER, {
    checker: JSON.stringify(checker, null, 4),
    assertions: JSON.stringify(table, null, 4),
  });
}

/** An example from a gold path, or else one made from the schema. */
export function findExample({ input_schema: schema }: ToolkitMethod, gold: readonly JsonObject[]): JsonObject {
  const fitting = gold.find((args) => validateJson(schema, args).length === 0);
  return fitting ?? (createExample(schema) as JsonObject);
}

function createExample(schema: unknown): unknown {
  if (!isJsonObject(schema)) return 'example';
  const { type, properties, required, anyOf, enum: choices } = schema;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return createExample(anyOf[0]);
  switch (type) {
    case 'object': {
      const known = isJsonObject(properties) ? properties : {};
      const needed = Array.isArray(required) ? required.map(String) : [];
      return Object.fromEntries(needed.map((name) => [name, createExample(known[name])]));
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
