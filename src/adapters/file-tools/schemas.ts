/** Inputs of the file tools; what the model is told of them is in `prompts/file_tools.yaml` (S1.17). */
import { parse } from 'yaml';
import { z } from 'zod';
import { readOwnText } from '../../own-file.ts';
import { ToolDefinition } from '../../transcript/message.ts';

const TEXT = readOwnText('../../../prompts/file_tools.yaml', import.meta.url);
const File = z.object({ paths: z.string(), tools: z.record(z.string(), ToolDefinition.omit({ name: true })) });

let definitions: readonly ToolDefinition[] | undefined;

/** Read when the first agent needs them: most commands start none. */
export function readFileToolDefinitions(): readonly ToolDefinition[] {
  return (definitions ??= parseDefinitions());
}

function parseDefinitions(): ToolDefinition[] {
  const { paths, tools } = File.parse(parse(TEXT));
  return Object.entries(tools).map(([name, tool]) => ({ name, ...tool, description: `${tool.description} ${paths}` }));
}

const filePath = z.string().min(1);

export const ReadInput = z.strictObject({
  file_path: filePath,
  view_range: z
    .tuple([z.int().positive(), z.int()])
    .refine(([start, end]) => end === -1 || end >= start, 'the end must be -1 or not before the start')
    .optional(),
});

export const WriteInput = z.strictObject({ file_path: filePath, content: z.string() });

export const EditInput = z.strictObject({
  file_path: filePath,
  old_string: z.string().min(1),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});

export const RemoveInput = z.strictObject({ file_path: filePath });

export const RenameInput = z.strictObject({ file_path: filePath, new_path: filePath });

export const SearchInput = z.strictObject({ pattern: z.string().min(1), path: z.string().optional() });
