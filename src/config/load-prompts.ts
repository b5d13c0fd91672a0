/** `prompts/`: every text that is sent to a model and is not an agent's own; a project's file wins over the shipped one. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { findFile, type Home } from './home.ts';
import { readYamlFile } from './yaml-file.ts';

const NAMES = [
  'scenario_brief',
  'served_tools',
  'execute_to_init',
  'unproven_to_init',
  'reviewer_to_init',
  'init_to_execute',
  'iteration',
  'chat_question',
  'steering',
  'steering_files',
  'reminder_submit',
  'reminder_cut',
  'reminder_empty',
  'reminder_thinking',
  'reminder_limit',
  'reminder_mentions',
  'mentioned',
  'reminder_missing',
  'starting_point_empty',
  'starting_point_copy',
  'compaction',
  'grader',
  'grader_void',
  'grader_order',
  'grader_padding',
  'statements',
  'user_auto',
  'user_chooser',
  'user_simulator',
  'user_model',
  'user_none',
] as const;

export type PromptTexts = Record<(typeof NAMES)[number], string> & { tools: Readonly<Record<string, string>> };

export async function loadPrompts(home: Home): Promise<PromptTexts> {
  const texts = await Promise.all(
    NAMES.map(async (name) => [name, await readFile(findFile(home, `prompts/${name}.md`), 'utf8')] as const),
  );
  const shown = 'prompts/control_tools.yaml';
  const tools = await readYamlFile(findFile(home, shown), z.record(z.string(), z.string().min(1)), shown);
  return { ...(Object.fromEntries(texts) as Record<(typeof NAMES)[number], string>), tools };
}
