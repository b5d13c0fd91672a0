/** What an input of a tool lacks, in one line for the model that made it. */
import type { z } from 'zod';

/** Of a value of the wrong kind only that is said: how long a text is in the place of a list helps nobody. */
export function inputFaults({ issues }: z.ZodError): string {
  const wrong = new Set(issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [path.join('.')] : [])));
  const told = issues.filter(({ code, path }) => code === 'invalid_type' || !wrong.has(path.join('.')));
  const faults = told.map(({ path, message }) => {
    // A schema of JSON knows no tuples.
    const what = message.replace('expected tuple', 'expected array');
    return path.length === 0 ? what : `${path.join('.')}: ${what}`;
  });
  return `the input does not fit: ${faults.join('; ')}.`;
}
