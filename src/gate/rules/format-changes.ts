/** What changed in the format specification, as sentences. */
import type { FormatSpec } from '../../scenario/design.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** Empty when nothing changed, and on the first design, where there is nothing to compare with. */
export function formatChanges(before: FormatSpec | undefined, after: FormatSpec): string[] {
  if (before === undefined) return [];
  return [
    ...listChanges('Tool', toolsOf(before), toolsOf(after)),
    ...listChanges('Category', categoriesOf(before), categoriesOf(after)),
    ...worldChanges(before, after),
    ...(stable(before.cases) === stable(after.cases) ? [] : ['The attributes and outcomes of the cases changed.']),
    ...promptChanges(before.subject_prompt, after.subject_prompt),
  ];
}

/** The facts about each named thing, by the name of the fact. */
type Described = ReadonlyMap<string, Readonly<Record<string, string>>>;

function toolsOf({ tools }: FormatSpec): Described {
  return new Map(
    tools.map(({ name, purpose, changes_world: changes, by = 'subject' }) => [
      name,
      { purpose, 'changes the world': changes ? 'yes' : 'no', 'whose hands it is in': by },
    ]),
  );
}

function categoriesOf({ categories }: FormatSpec): Described {
  return new Map(categories.map(({ id, title, samples }) => [id, { title, samples: String(samples) }]));
}

function worldChanges(before: FormatSpec, after: FormatSpec): string[] {
  const changes = listChanges('World property', propertiesOf(before), propertiesOf(after));
  const same = stable(before.world) === stable(after.world);
  return changes.length > 0 || same ? changes : ['The world schema changed outside of its properties.'];
}

function propertiesOf({ world }: FormatSpec): Described {
  const { properties } = world;
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(Object.entries(properties).map(([name, schema]) => [name, { schema: stable(schema) }]));
}

function listChanges(kind: string, before: Described, after: Described): string[] {
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${kind} ${name} was added.`);
  const removed = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${kind} ${name} was removed.`);
  const changed = [...after].flatMap(([name, facts]) => {
    const earlier = before.get(name);
    return earlier === undefined ? [] : factChanges(`${kind} ${name}`, earlier, facts);
  });
  return [...added, ...removed, ...changed];
}

function factChanges(
  what: string,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(after)
    .filter(([fact, value]) => before[fact] !== value)
    .map(([fact, value]) => `${what}: ${fact} was ${quote(before[fact] ?? '')}, is ${quote(value)}.`);
}

export const PROMPT_CHANGED = "The subject's system prompt changed";

function promptChanges(before: string, after: string): string[] {
  if (before === after) return [];
  const old = new Set(before.split('\n'));
  const now = new Set(after.split('\n'));
  const gained = [...now].filter((line) => !old.has(line)).length;
  const lost = [...old].filter((line) => !now.has(line)).length;
  return [`${PROMPT_CHANGED}: ${gained} lines new, ${lost} gone (${before.length} -> ${after.length} characters).`];
}

/** JSON with sorted keys, so that a mere reordering is no change. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 160 ? `${Array.from(text).slice(0, 160).join('')}…` : text);
}
