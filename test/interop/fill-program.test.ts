/** A program that an import writes holds what the import found, and nothing of it becomes code by chance. */
import { expect, test } from 'vitest';
import { fillProgram } from '../../src/interop/fill-program.ts';

test('a mark goes with its quotes, a mark in words without any, and a value that looks like a mark stays as it is', () => {
  const program = `"""{{name}}: a tool"""\ntool = '{{tool}}'\nother = '{{unknown}}'\n`;
  const values = { name: 'look', tool: JSON.stringify({ text: "'{{name}}' costs $& 5" }) };
  expect(fillProgram(program, values)).toBe(
    `"""look: a tool"""\ntool = {"text":"'{{name}}' costs $& 5"}\nother = '{{unknown}}'\n`,
  );
});
