/** Names, inputs and descriptions of the file tools, as the model gets them. */
import { z } from 'zod';
import type { ToolDefinition } from '../../transcript/message.ts';

const PATHS =
  'Paths are logical: relative to the run, with "/", such as design/r1/business_rules.yaml. Absolute paths and ".." are refused.';

const path = { type: 'string', description: 'Path relative to the run, such as design/r1/business_rules.yaml.' };
const folder = {
  type: 'string',
  description: 'Folder or file to search, relative to the run. Default: all you may see.',
};

/** Names and inputs are those of the vendor's agent toolset, which a test holds together; `remove` and `rename` are ours. */
export const FILE_TOOL_DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: 'read',
    description: `Read a UTF-8 text file, or look at an image (PNG, JPEG, GIF, WebP). ${PATHS}`,
    input_schema: {
      type: 'object',
      properties: {
        file_path: path,
        view_range: {
          type: 'array',
          items: { type: 'integer' },
          description: '[start_line, end_line], counted from 1, both included; -1 as end_line is the last line.',
        },
      },
      required: ['file_path'],
    },
  },
  {
    name: 'write',
    description: `Write a whole UTF-8 text file, making its folders as needed. Only folders that are yours can be written. ${PATHS}`,
    input_schema: {
      type: 'object',
      properties: { file_path: path, content: { type: 'string' } },
      required: ['file_path', 'content'],
    },
  },
  {
    name: 'edit',
    description: `Replace old_string by new_string in a file that is yours. old_string must stand there exactly once unless replace_all is set. ${PATHS}`,
    input_schema: {
      type: 'object',
      properties: {
        file_path: path,
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      required: ['file_path', 'old_string', 'new_string'],
    },
  },
  {
    name: 'remove',
    description: `Remove a file that is yours. A folder goes away with its last file. ${PATHS}`,
    input_schema: { type: 'object', properties: { file_path: path }, required: ['file_path'] },
  },
  {
    name: 'rename',
    description: `Move a file that is yours to another path that is yours and not taken, making folders as needed. ${PATHS}`,
    input_schema: {
      type: 'object',
      properties: { file_path: path, new_path: path },
      required: ['file_path', 'new_path'],
    },
  },
  {
    name: 'glob',
    description: `List files whose path matches a glob pattern, such as **/*.json, sorted by name. The pattern is relative to path. ${PATHS}`,
    input_schema: {
      type: 'object',
      properties: { pattern: { type: 'string' }, path: folder },
      required: ['pattern'],
    },
  },
  {
    name: 'grep',
    description: `Search file contents, line by line, for a JavaScript regular expression. Results are path:line:text, sorted by path. ${PATHS}`,
    input_schema: {
      type: 'object',
      properties: { pattern: { type: 'string' }, path: folder },
      required: ['pattern'],
    },
  },
];

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
