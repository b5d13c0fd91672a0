/** Reminds the agent of tools, skills and sub-agents that a person names as `@name` in a message (S3.1). */
import type { LoadedAgent } from '../../agent/definition.ts';
import { SUBAGENT_TOOL } from '../../agent/tools/subagent.ts';
import { SKILL_TOOL } from '../../context/facts/active-skill.ts';
import { parseMentions } from '../../gate/rules/mentions.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';

/** Maps each name that a message may mention to the text of the agent's reminder. */
export function listNamedParts({ definition, skills = [], subagent }: LoadedAgent): Map<string, string> {
  const helper = definition.subagent?.agent ?? 'subagent';
  return new Map([
    ...definition.tools.map((name) => [name, `the tool ${name}`] as const),
    ...skills.map(({ name }) => [name, `the skill ${name} (the tool ${SKILL_TOOL} loads it)`] as const),
    ...(subagent === undefined ? [] : [[helper, `the sub-agent ${helper} (the tool ${SUBAGENT_TOOL})`] as const]),
  ]);
}

/** Undefined where the text names no part of the agent. */
export function formatPartsReminder(text: string, agent: LoadedAgent, template: string): string | undefined {
  const parts = listNamedParts(agent);
  const named = parseMentions(text).inside.flatMap((name) => parts.get(name) ?? []);
  return named.length === 0 ? undefined : fillTemplate(template, { names: named.join(', ') });
}
