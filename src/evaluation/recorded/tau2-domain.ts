/** A domain folder of a tau2-bench checkout as a scenario folder of ours. */
import { stringify } from 'yaml';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { BusinessRule } from '../../scenario/design.ts';
import { criteriaChecker } from './criteria-checker.ts';
import { createSlugs, jsonFile, type Imported } from './imported.ts';
import { rulesOfPolicy } from './policy-rules.ts';
import { sampleOfTask, Tau2Task } from './tau2-task.ts';
import { toolsOfToolkit, type PythonTool } from './toolkit-python.ts';

export type Tau2Domain = {
  domain: string;
  policy: string;
  tasks: unknown;
  db: unknown;
  /** The user's own world, in domains where the user has tools too. */
  userDb: unknown;
  toolkit: string;
};

/** One world file is read whole for every sample; more than this belongs into the tools' own store. */
const MAX_WORLD_BYTES = 1024 * 1024;

export function importTau2Domain({ domain, policy, tasks, db, userDb, toolkit }: Tau2Domain, name: string): Imported {
  const gaps: string[] = [];
  const read = z.array(Tau2Task).min(1).safeParse(tasks);
  if (!read.success) {
    const issue = read.error.issues[0];
    throw new HarnessError(
      'config_invalid',
      `tasks.json of ${domain}: /${issue?.path.map(String).join('/')}: ${issue?.message}`,
    );
  }
  const tools = toolsOfToolkit(toolkit);
  const rules = rulesOfPolicy(
    policy,
    'policies/policy.md',
    tools.map((tool) => tool.name),
  );
  if (rules.length === 0)
    throw new HarnessError(
      'config_invalid',
      `policy.md of ${domain}: holds no rule: no list and no sentence that demands something.`,
    );
  const readers = new Set(tools.filter(({ kind }) => kind !== 'WRITE').map((tool) => tool.name));
  const slug = createSlugs('task');
  const made = read.data.map((task) => {
    const id = slug(`${domain}-${task.id}`);
    const gap = (text: string): unknown => gaps.push(`samples/${id}.json: ${text}`);
    return { task, sample: sampleOfTask(task, { id, domain, rules, readers, gap }) };
  });
  const world = { agent: db, ...(userDb === undefined ? {} : { user: userDb }) };
  if (JSON.stringify(world).length > MAX_WORLD_BYTES)
    gaps.push(
      `imported/samples/worlds/db.json is larger than ${MAX_WORLD_BYTES} bytes and will not be loaded: cut it down to what the samples need`,
    );
  gaps.push(
    ...toolGaps(tools),
    'covers of each sample was guessed from shared words: review it',
    'user.says_first is the task’s reason for the call, told to the user in the second person: put it into the user’s own words',
  );
  const table = Object.fromEntries(made.map(({ task, sample }) => [sample.id, task.evaluation_criteria ?? {}]));
  return {
    files: [
      { path: 'scenario.yaml', content: stringify(scenarioOf(name, domain, made.length)) },
      { path: 'brief.md', content: briefOf(domain) },
      { path: 'policies/policy.md', content: policy },
      { path: 'imported/tools.yaml', content: stringify({ tools: tools.map(toolLine) }) },
      { path: 'imported/business_rules.yaml', content: stringify(rulesFile(rules)) },
      {
        path: 'imported/checkers/criteria.mjs',
        content: criteriaChecker(
          table,
          rules.map(({ id }) => id),
        ),
      },
      jsonFile('imported/samples/worlds/db.json', world),
      ...made.map(({ sample }) => jsonFile(`imported/samples/${sample.id}.json`, sample)),
    ],
    gaps,
  };
}

function toolGaps(tools: readonly PythonTool[]): string[] {
  if (tools.length === 0) return ['no tools were found in tools.py: methods with @is_tool(ToolType.…) are looked for'];
  return [
    `the ${tools.length} Python tools are listed in imported/tools.yaml and not carried over: Execute writes them anew as tools/<name>.mjs`,
  ];
}

function toolLine({ name, kind, purpose, parameters }: PythonTool): Record<string, unknown> {
  const types = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.type]));
  return { name, purpose, changes_world: kind === 'WRITE', parameters: types };
}

function rulesFile(rules: readonly BusinessRule[]): Record<string, unknown> {
  return { version: 1, rules };
}

function scenarioOf(name: string, domain: string, samples: number): Record<string, unknown> {
  return {
    version: 1,
    name,
    title: `${domain}, imported from tau2-bench`,
    reads: ['brief.md', 'policies/policy.md', 'imported/business_rules.yaml', 'imported/tools.yaml'],
    target: 0.85,
    samples: { min: samples, categories: [domain] },
    subject: { model: 'claude-haiku-5-5', max_steps: 30 },
  };
}

function briefOf(domain: string): string {
  return `# Brief: ${domain}

This scenario was imported from a domain of tau2-bench. The subject serves customers under \`policies/policy.md\`.

- \`imported/business_rules.yaml\` holds the policy as numbered rules, as the importer read it. Keep its ids; correct what it read wrong.
- \`imported/tools.yaml\` lists the tools of the domain with their parameters. The world is \`{agent, user}\`: the shop's data, and the customer's own.
- \`imported/samples/\` holds the tasks as samples with their gold paths, \`imported/checkers/\` what they are judged by besides their end state.

## What counts as a pass
The world ends as the gold path leaves it, everything that the task wants to be said is said, and no rule is broken on the way.
`;
}
