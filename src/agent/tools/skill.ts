/** `skill`: loads the text of a skill by its name; every later call is checked against the tools that it allows (S3.1, S4.2). */
import { z } from 'zod';
import type { ToolHost } from '../../ports/tools/tool-host.ts';
import { activeSkill, isGoverned, NO_SKILL, SKILL_TOOL } from '../../context/facts/active-skill.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Skill } from '../definition.ts';
import { controlTool, type ControlTool } from './control-tool.ts';

/** Where an agent finds a skill's own files. */
export const SKILL_FOLDER = 'skills';

export function skillTool(description: string, skills: readonly Skill[], tools: readonly string[]): ControlTool {
  const names = [...skills.map(({ name }) => name), NO_SKILL];
  const LoadSkill = z.strictObject({ name: z.enum(names) });
  return controlTool({ name: SKILL_TOOL, description, schema: LoadSkill }, async ({ name }) => {
    const skill = skills.find((one) => one.name === name);
    if (skill === undefined) return { ok: true, name: NO_SKILL };
    const { allowedTools, files, body } = skill;
    // The parts that must stay legible in one line after a compaction come first, the long ones last.
    return {
      ok: true,
      name,
      ...(allowedTools === undefined ? {} : { allowed_tools: namedAmong(tools, allowedTools) }),
      ...(files.length === 0 ? {} : { files: files.map((file) => `${SKILL_FOLDER}/${name}/${file}`) }),
      body,
    };
  });
}

/** Names count without case, dash and underscore, as in `Read`, `multi-edit` or `Bash(git:*)`. */
function namedAmong(tools: readonly string[], wanted: readonly string[]): string[] {
  const plain = (name: string) =>
    name
      .replace(/\(.*$/s, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '');
  const names = new Set(wanted.map(plain));
  return tools.filter((tool) => names.has(plain(tool)));
}

/** The definitions stay unchanged, so that the prompt cache stays valid; a call that the active skill does not allow gets an error. */
export function withinSkill(host: ToolHost, entries: () => readonly Entry[]): ToolHost {
  return {
    ...host,
    call: async (name, input, signal) => {
      const skill = isGoverned(name) ? activeSkill(entries()) : undefined;
      if (skill?.allowedTools === undefined || skill.allowedTools.includes(name)) return host.call(name, input, signal);
      const allowed = skill.allowedTools.filter((tool) => isGoverned(tool)).join(', ') || 'none of these tools';
      const content = `${name}: the active skill ${skill.name} allows ${allowed} besides read. To use ${name}, put it away first: ${SKILL_TOOL} {"name":"${NO_SKILL}"}.`;
      return { content, is_error: true };
    },
  };
}
