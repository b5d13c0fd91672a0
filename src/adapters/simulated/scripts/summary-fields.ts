/** The scripted summary in the fields that a request names: a script is written for one agent, and any policy may ask. */

/** What a field may be left out for. */
const OPTIONAL = /\(may be left out\)$/;

/**
 * Fields that the script has stay as they are. What it says elsewhere goes, line by line, into the fields that it does not
 * know: shared out over lists and texts, so that nothing is repeated and nothing is lost.
 */
export function inFields(summary: unknown, fields: Record<string, unknown> | undefined): unknown {
  if (fields === undefined || !isRecord(summary)) return summary;
  const wanted = Object.entries(fields);
  if (wanted.every(([name, about]) => isOptional(about) || Object.hasOwn(summary, name))) return summary;
  const spare = Object.entries(summary).flatMap(([name, value]) =>
    Object.hasOwn(fields, name) ? [] : valueLines(value),
  );
  const open = wanted.filter(([name]) => !Object.hasOwn(summary, name));
  const share = Math.ceil(spare.length / Math.max(1, open.length));
  return Object.fromEntries(
    wanted.flatMap(([name, about]): [string, unknown][] => {
      if (Object.hasOwn(summary, name)) return [[name, summary[name]]];
      const lines = spare.splice(0, share);
      return lines.length === 0 && isOptional(about) ? [] : [[name, filled(about, lines)]];
    }),
  );
}

/** A skeleton is a list with one text, a text, or an object of more. */
function filled(about: unknown, lines: string[]): unknown {
  if (Array.isArray(about)) return lines;
  if (!isRecord(about)) return lines.length === 0 ? 'nothing' : lines.join('; ');
  const fields = Object.entries(about);
  const share = Math.ceil(lines.length / Math.max(1, fields.length));
  return Object.fromEntries(fields.map(([name, inner]) => [name, filled(inner, lines.splice(0, share))]));
}

function valueLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(valueLines);
  if (isRecord(value)) return Object.values(value).flatMap(valueLines);
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  return typeof value === 'string' && value !== '' ? [value] : [];
}

function isOptional(about: unknown): boolean {
  const [text] = Array.isArray(about) ? about : [about];
  return typeof text === 'string' && OPTIONAL.test(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
