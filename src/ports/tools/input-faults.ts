/** Describes the faults of a tool's input in one line, for the model that made it. */
import type { z } from 'zod';

/** Reports only the wrong kind of a value, and not for example the length of a text in place of a list. */
export function formatInputFaults({ issues }: z.ZodError): string {
  const wrong = new Set(issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [path.join('.')] : [])));
  const told = issues.filter(({ code, path }) => code === 'invalid_type' || !wrong.has(path.join('.')));
  const faults = told.map(({ path, message }) => {
    // Tools describe their input by JSON schemas, which have no tuples.
    const what = message.replace('expected tuple', 'expected array');
    return path.length === 0 ? what : `${path.join('.')}: ${what}`;
  });
  return `the input does not fit: ${faults.join('; ')}.`;
}
