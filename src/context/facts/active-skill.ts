/** The active skill and the tools that it allows, folded from the answers of the tool `skill` (S3.1). */
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import { listToolUses } from '../../transcript/message.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Policy } from '../policy.ts';
import { oneLine, wrapInTag } from '../fact-tags.ts';

export const SKILL_TOOL = 'skill';
/** Ends the active skill. */
export const NO_SKILL = 'none';

/**
 * Tools that an active skill may take away: writing and searching. Reading stays, because a skill's own files must be
 * readable, and so do the tools that end a step.
 */
const GOVERNED = new Set(['write', 'edit', 'remove', 'rename', 'glob', 'grep']);

export function isGoverned(tool: string): boolean {
  return GOVERNED.has(tool);
}

/** The answer of the tool `skill`; `allowed_tools` is absent when the skill does not limit tools. */
const Answer = z.looseObject({ ok: z.literal(true), name: z.string(), allowed_tools: z.array(z.string()).optional() });

export type ActiveSkill = { name: string; entry: string; allowedTools: readonly string[] | undefined };

/** Finds the active skill in the whole transcript, not in the view: a skill stays active over every compaction. */
export function activeSkill(entries: readonly Entry[]): ActiveSkill | undefined {
  const calls = new Set<string>();
  let active: ActiveSkill | undefined;
  for (const entry of entries) {
    if (entry.type !== 'message') continue;
    for (const { id, name } of listToolUses(entry.message)) if (name === SKILL_TOOL) calls.add(id);
    for (const block of entry.message.content) {
      if (block.type !== 'tool_result' || block.is_error === true || !calls.has(block.tool_use_id)) continue;
      const data = Answer.safeParse(parseJson(getResultText(block))).data;
      if (data === undefined) continue;
      active =
        data.name === NO_SKILL ? undefined : { name: data.name, entry: entry.id, allowedTools: data.allowed_tools };
    }
  }
  return active;
}

/** Renders the active skill as a carried fact, with the entry that has the skill's text. */
export function renderSkill(skill: ActiveSkill | undefined, policy: Policy): string[] {
  if (skill === undefined) return [];
  const { name, entry, allowedTools } = skill;
  const tools = allowedTools === undefined ? '' : ` It wants these tools and no others: ${allowedTools.join(', ')}.`;
  const where = fillTemplate(policy.longResult.fullText, { id: entry });
  return [wrapInTag('active_skill', oneLine(`${name}.${tools} Its text: ${where} [#${entry}]`))];
}
