/** Programs that are written into an imported scenario: files with a mark for each part that only the import knows. */

/** Replaces `{{name}}` by its value; the quotes around a mark, which let a linter read the program, go with it. */
export function fillProgram(program: string, values: Readonly<Record<string, string>>): string {
  return program.replaceAll(/'\{\{(\w+)\}\}'|\{\{(\w+)\}\}/g, (mark, quoted?: string, plain?: string) => {
    return values[quoted ?? plain ?? ''] ?? mark;
  });
}
