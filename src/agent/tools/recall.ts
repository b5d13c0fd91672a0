/** The tool `recall` returns entries that left the view, so that the agent can read every message again. */
import { z } from 'zod';
import type { Entry } from '../../transcript/entry.ts';
import { listImageBlocks } from '../../transcript/images.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import { controlTool, type ControlTool } from './control-tool.ts';

const MAX_CHARS = 40_000;

export const Recall = z.strictObject({
  id: z.string().regex(/^#?e\d+$/, 'expected an id such as e14'),
  /** Characters to skip, to read the rest. */
  offset: z.int().nonnegative().default(0),
});

export function createRecallTool(description: string, entries: () => readonly Entry[]): ControlTool {
  const find = (id: string) => entries().find((candidate) => candidate.id === id.replace('#', ''));
  const tool = controlTool({ name: 'recall', description, schema: Recall }, async ({ id, offset }) => {
    const entry = find(id);
    if (entry === undefined) return { ok: false, error: `No entry is named ${id}.` };
    const text = formatEntry(entry);
    const part = text.slice(offset, offset + MAX_CHARS);
    const next = offset + part.length;
    return {
      ok: true,
      id: entry.id,
      totalChars: text.length,
      ...(next < text.length ? { nextOffset: next } : {}),
      text: part,
    };
  });
  return {
    ...tool,
    run: async (input, signal) => {
      const answer = await tool.run(input, signal);
      const entry = find(Recall.safeParse(input).data?.id ?? '');
      // An image that became a pointer is shown again, and counts as one of the latest images.
      const images = entry?.type === 'message' ? listImageBlocks(entry.message) : [];
      return answer.is_error || images.length === 0 ? answer : { ...answer, images };
    },
  };
}

/** Returns everything visible in an entry without cuts: texts, calls, whole results. */
function formatEntry(entry: Entry): string {
  if (entry.type === 'compaction') return entry.summary;
  if (entry.type === 'compaction_refused') return `${entry.cause}: ${entry.detail}`;
  if (entry.type === 'layer') return entry.text;
  return entry.message.content
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      if (block.type === 'tool_use') return [`${block.name} ${JSON.stringify(block.input)}`];
      return block.type === 'tool_result' ? [getResultText(block)] : [];
    })
    .join('\n');
}
