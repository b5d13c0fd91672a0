/** Example command lines for the help of each command. */
import { readOwnText } from '../own-file.ts';

type Example = readonly [line: string, does: string];

/** Examples by command; the empty string is the program itself. Each has the words after `tandem` and what they do. */
export const EXAMPLES = readExamples(readOwnText('./examples.sh', import.meta.url));

/** Each block begins with a comment that names its command; the first block says what the file is. */
function readExamples(text: string): Readonly<Record<string, readonly Example[]>> {
  const [, ...blocks] = text.trim().split('\n\n');
  return Object.fromEntries(
    blocks.map((block) => {
      const [head = '', ...lines] = block.split('\n');
      return [head.slice('# tandem '.length), lines.map(readExample)];
    }),
  );
}

function readExample(written: string): Example {
  const [line = '', does = ''] = written.split(/ {3}# (.*)$/);
  return [line.slice('tandem '.length), does];
}

/** Formats the examples for a help page. */
export function exampleLines(path: string): string[] {
  const lines = EXAMPLES[path] ?? [];
  const width = Math.min(56, Math.max(...lines.map(([line]) => line.length)));
  return lines.map(([line, does]) => `  tandem ${line.padEnd(width)}   ${does}`);
}
