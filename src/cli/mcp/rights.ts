/** What a caller of tools may reach: the scenarios that its person reads, and acts where that person may decide. */
import { z } from 'zod';
import { HarnessError, usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { ToolCaller } from '../../web/create-tool-endpoint.ts';
import type { CliTool } from './tools.ts';

type Call = {
  tool: Pick<CliTool, 'acts'>;
  input: Record<string, unknown>;
  caller: ToolCaller;
  store: Pick<RunStore, 'folders' | 'archived'>;
};

/** The input with the whole id of its run. Contract: `not_found` for what the caller may not read, whether it exists or not. */
export async function withinScope({ tool, input, caller, store }: Call): Promise<Record<string, unknown>> {
  const { run, scenario } = input;
  if (typeof run !== 'string') return typeof scenario === 'string' ? checked(input, scenario, { tool, caller }) : input;
  const all = await store.folders();
  const found = pick(all, run) ?? pick(await store.archived(), run);
  if (found === undefined) throw new HarnessError('not_found', `There is no run "${run}" here: list_runs names them.`);
  return checked({ ...input, run: found.id }, found.scenario, { tool, caller });

  function pick<Run extends { id: string; scenario: string }>(runs: readonly Run[], name: string): Run | undefined {
    const mine = runs.filter((one) => caller.scope?.has(one.scenario) ?? true);
    const exact = mine.filter(({ id }) => id === name);
    const like = exact.length > 0 ? exact : mine.filter(({ id }) => id.startsWith(name));
    // A command that is given an id of two scenarios would name both.
    const isAlone = like.length === 1 && runs.filter(({ id }) => id === like[0]?.id).length === 1;
    if (like.length > 0 && !isAlone) throw usageError(`Several runs are named "${name}": say more of it.`);
    return like[0];
  }
}

function checked(
  input: Record<string, unknown>,
  scenario: string,
  { tool, caller }: Pick<Call, 'tool' | 'caller'>,
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

/** A list without the scenarios that the caller may not read; every other answer as it is. */
export function narrowed({ name }: Pick<CliTool, 'name'>, text: string, { scope }: ToolCaller): string {
  if (scope === undefined || !name.startsWith('list_')) return text;
  return JSON.stringify(Listed.parse(parseJson(text)).filter(({ scenario }) => scope.has(scenario)));
}
