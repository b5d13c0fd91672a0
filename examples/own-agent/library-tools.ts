/** What the librarian works with: one tool, and a book of twelve chapters. */
export const SYSTEM = 'You are a librarian.';
export const TASK = 'Read every chapter of the book, one after the other, then say how it ends.';

export type ReadInput = { file_path: string };

export const read = {
  name: 'read',
  description: 'Reads a file of the library.',
  input_schema: {
    type: 'object' as const,
    properties: { file_path: { type: 'string' as const } },
    required: ['file_path'],
  },
};

export function chapter({ file_path: path }: ReadInput): string {
  const number = Number(/(\d+)\.md$/.exec(path)?.[1] ?? 0);
  const lines = Array.from({ length: 90 }, (_, line) => `${line + 1}. In chapter ${number} the tide turned once more.`);
  return [...lines, number === 12 ? 'The lighthouse goes dark.' : 'To be continued.'].join('\n');
}

export function runTool({ id, input }: { id: string; input: unknown }) {
  return { type: 'tool_result' as const, tool_use_id: id, content: chapter(input as ReadInput) };
}
