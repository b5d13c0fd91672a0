/** The calls of a step as they are issued, and what must hold before they are. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../../errors.ts';
import { findContentFile } from './content-file.ts';
import { excerpt, scriptFault } from './script-fault.ts';
import type { Player, ScriptCall, ScriptStep } from './script.ts';
import type { ParsedCall } from './parse-request.ts';
import type { Submission } from '../request/submission.ts';

/** Reads the content file anew each time: the folder may change while the server runs. */
export function scriptedInput(
  { dir }: Player,
  { tool, input, content_file: name }: ScriptCall,
): Record<string, unknown> {
  if (name === undefined) return input;
  if (dir === undefined) throw scriptFault(`the content file ${name} of ${tool} belongs to a script without a folder`);
  const found = findContentFile(dir, name);
  if (found.path === undefined) throw scriptFault(`the content file of ${tool}: ${found.fault}`);
  try {
    return { ...input, content: readFileSync(found.path, 'utf8') };
  } catch (error) {
    throw scriptFault(`the content file of ${tool}: ${name} cannot be read: ${messageOf(error)}`);
  }
}

/** The tool results of the newest user turn, with the text next to them. */
export function checkExpectation({ expects }: ScriptStep, { turns }: Submission): void {
  if (expects === undefined) return;
  const seen = (turns.findLast(({ role }) => role === 'user')?.blocks ?? [])
    .flatMap(({ block }) => {
      if (block.type === 'text') return [block.text];
      if (block.type !== 'tool_result' || block.content === undefined) return [];
      if (typeof block.content === 'string') return [block.content];
      return block.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    })
    .join('\n');
  if (!seen.includes(expects)) {
    throw scriptFault(`expected ${excerpt(expects)} in what came back, and saw ${excerpt(seen, 600)}`);
  }
}

/** A real model calls only what it is offered. */
export function checkTools(calls: readonly ParsedCall[], { request }: Submission): void {
  const offered = (request.tools ?? []).map(({ name }) => name);
  const missing = calls.find(({ name }) => !offered.includes(name));
  if (missing !== undefined) {
    throw scriptFault(`the tool ${missing.name} is called, and the request offers ${offered.join(', ') || 'none'}`);
  }
  const choice = request.tool_choice;
  if (calls.length > 0 && choice?.type === 'none') throw scriptFault('tools are called, and tool_choice is none');
  if (
    calls.length > 1 &&
    choice !== undefined &&
    'disable_parallel_tool_use' in choice &&
    choice.disable_parallel_tool_use === true
  ) {
    throw scriptFault('several tools are called, and the request takes one at a time');
  }
}
