/** Fills `{{name}}` in a prompt file without the `$` patterns of `replace` (docs/internals/compaction-cases.md T27). */
import { HarnessError } from '../errors.ts';

const PLACEHOLDER = /\{\{(\w+)\}\}/;

/** Throws `config_invalid` for a placeholder without a value, so that no prompt is sent with a gap. */
export function fillTemplate(template: string, values: Readonly<Record<string, string | number>>): string {
  const pieces = template.split(PLACEHOLDER);
  const filled = pieces.map((piece, index) => (index % 2 === 0 ? piece : getPlaceholderValue(piece, values)));
  return filled.join('').trim();
}

function getPlaceholderValue(name: string, values: Readonly<Record<string, string | number>>): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    throw new HarnessError('config_invalid', `A prompt asks for {{${name}}}, and nothing is known by that name.`, {
      details: { placeholder: name, known: Object.keys(values) },
    });
  }
  return String(value);
}
