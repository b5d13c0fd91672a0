/** The texts of components that call a copied toolkit: a file for each tool, and a checker for the predicates of tasks. */
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { validateJson } from '../../../scenario/json/json-schema.ts';
import type { Tau2Task } from './task.ts';
import type { ToolkitOffer, ToolkitMethod } from './toolkit.ts';

export type ToolShim = {
  /** As our harness calls it, and as the toolkit does. */
  name: string;
  method: ToolkitMethod;
  side: 'assistant' | 'user';
  example: JsonObject;
};

/** A shim for each tool of both sides; a tool of the user that has the name of one of the agent's gets another. */
export function shimsOf({ assistant, user }: ToolkitOffer, tasks: readonly Tau2Task[]): ToolShim[] {
  const actions = tasks.flatMap(({ evaluation_criteria: criteria }) => criteria?.actions ?? []);
  const taken = new Set(assistant.map(({ name }) => name.toLowerCase()));
  const shim = (method: ToolkitMethod, side: ToolShim['side']): ToolShim => {
    const own = actions.filter(
      ({ name, requestor }) => name === method.name && (requestor === 'user') === (side === 'user'),
    );
    const inputs = own.map((action) => action.arguments);
    const plain = method.name.toLowerCase();
    const name = side === 'user' && taken.has(plain) ? `user_${plain}` : plain;
    return { name, method, side, example: exampleFor(method, inputs) };
  };
  return [...assistant.map((method) => shim(method, 'assistant')), ...user.map((method) => shim(method, 'user'))];
}

/** JSON is Python once these three are named. */
const NAMES = 'true, false, null = True, False, None';

export function toolShim({ name, method, side, example }: ToolShim, domain: string): string {
  const tool = {
    name,
    description: method.description,
    input_schema: method.input_schema,
    examples: [{ input: example, world: 'db' }],
  };
  return `"""${name}: the tool of the ${domain} toolkit, carried over from tau2-bench; its code is in toolkit/domain/."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'toolkit'))
import tau2_runner

${NAMES}

tool = ${JSON.stringify(tool, null, 4)}


def run(input, world):
    return tau2_runner.run(${JSON.stringify(side)}, ${JSON.stringify(method.name)}, input, world)
`;
}

/** `table` goes in as data, never as code: sample -> the predicates that its end must fulfil. */
export function assertionsChecker(table: Readonly<Record<string, unknown>>, rules: readonly string[]): string {
  const checker = {
    id: 'assertions',
    description: 'Every predicate that the task names holds at the end.',
    rules,
  };
  return `"""The predicates of the imported tasks, asked of the copied toolkit."""
import copy
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tools', 'toolkit'))
import tau2_runner

${NAMES}

checker = ${JSON.stringify(checker, null, 4)}

ASSERTIONS = ${JSON.stringify(table, null, 4)}


def check(ctx):
    wanted = ASSERTIONS.get(ctx['sample']['id'], [])
    faults = [tau2_runner.holds(copy.deepcopy(ctx['after']), one) for one in wanted]
    evidence = [fault for fault in faults if fault is not None]
    reason = '%d of %d predicates do not hold' % (len(evidence), len(wanted)) if evidence else 'all hold'
    return {'pass': not evidence, 'reason': reason, 'evidence': evidence}
`;
}

/** From a gold path, else made up from the schema. */
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
