/** Limits a tool caller to scenarios that its person may read, and its actions to those where the person may decide. */
import { z } from 'zod';
import { HarnessError, usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { ToolCaller } from '../../web/create-tool-endpoint.ts';
import type { CliTool } from './tools.ts';

type CallToCheck = {
  tool: Pick<CliTool, 'acts'>;
  input: Record<string, unknown>;
  caller: ToolCaller;
  store: Pick<RunStore, 'folders'>;
};

/** Returns the input with the full id of its run; throws `not_found` if it is missing or the caller may not read it. */
export async function resolveInScope({ tool, input, caller, store }: CallToCheck): Promise<Record<string, unknown>> {
  const { run, scenario } = input;
  if (typeof run !== 'string')
    return typeof scenario === 'string' ? checkRights(input, scenario, { tool, caller }) : input;
  const found = pick(await store.folders(), run);
  if (found === undefined) throw new HarnessError('not_found', `There is no run "${run}" here: list_runs names them.`);
  return checkRights({ ...input, run: found.id }, found.scenario, { tool, caller });

  function pick<Run extends { id: string; scenario: string }>(runs: readonly Run[], name: string): Run | undefined {
    const mine = runs.filter((one) => caller.scope?.has(one.scenario) ?? true);
    const exact = mine.filter(({ id }) => id === name);
    const like = exact.length > 0 ? exact : mine.filter(({ id }) => id.startsWith(name));
    // An id that exists in two scenarios would name both runs for the command.
    const isAlone = like.length === 1 && runs.filter(({ id }) => id === like[0]?.id).length === 1;
    if (like.length > 0 && !isAlone) throw usageError(`Several runs are named "${name}": say more of it.`);
    return like[0];
  }
}

function checkRights(
  input: Record<string, unknown>,
  scenario: string,
  { tool, caller }: Pick<CallToCheck, 'tool' | 'caller'>,
): Record<string, unknown> {
  if (caller.scope?.has(scenario) === false)
    throw new HarnessError('not_found', `There is no scenario "${scenario}" here.`);
  if (tool.acts && !caller.mayAct(scenario))
    throw new HarnessError(
      'gate_refused',
      `${caller.name} may only read runs of ${scenario}: config/reviewers.yaml lists who may do more.`,
      { details: { refusal: 'not_allowed' } },
    );
  return input;
}

const Listed = z.array(z.looseObject({ scenario: z.string() }));

/** Removes scenarios that the caller may not read from a list; every other answer stays as it is. */
export function filterByScope({ name }: Pick<CliTool, 'name'>, text: string, { scope }: ToolCaller): string {
  if (scope === undefined || !name.startsWith('list_')) return text;
  return JSON.stringify(Listed.parse(parseJson(text)).filter(({ scenario }) => scope.has(scenario)));
}
