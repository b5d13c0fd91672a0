/** Describes the changes of the format specification in sentences. */
import type { FormatSpec } from '../../scenario/design.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** Returns an empty list when nothing changed, or when there is no earlier design to compare with. */
export function formatChanges(before: FormatSpec | undefined, after: FormatSpec): string[] {
  if (before === undefined) return [];
  return [
    ...listChanges('Tool', listToolFacts(before), listToolFacts(after)),
    ...listChanges('Category', listCategoryFacts(before), listCategoryFacts(after)),
    ...worldChanges(before, after),
    ...(stringifySorted(before.cases) === stringifySorted(after.cases)
      ? []
      : ['The attributes and outcomes of the cases changed.']),
    ...promptChanges(before.subject_prompt, after.subject_prompt),
  ];
}

/** The facts about each named item, by the name of the fact. */
type FactsByName = ReadonlyMap<string, Readonly<Record<string, string>>>;

function listToolFacts({ tools }: FormatSpec): FactsByName {
  return new Map(
    tools.map(({ name, purpose, changes_world: changes, by = 'subject' }) => [
      name,
      { purpose, 'changes the world': changes ? 'yes' : 'no', 'whose hands it is in': by },
    ]),
  );
}

function listCategoryFacts({ categories }: FormatSpec): FactsByName {
  return new Map(categories.map(({ id, title, samples }) => [id, { title, samples: String(samples) }]));
}

function worldChanges(before: FormatSpec, after: FormatSpec): string[] {
  const changes = listChanges('World property', listPropertyFacts(before), listPropertyFacts(after));
  const same = stringifySorted(before.world) === stringifySorted(after.world);
  return changes.length > 0 || same ? changes : ['The world schema changed outside of its properties.'];
}

function listPropertyFacts({ world }: FormatSpec): FactsByName {
  const { properties } = world;
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(Object.entries(properties).map(([name, schema]) => [name, { schema: stringifySorted(schema) }]));
}

function listChanges(kind: string, before: FactsByName, after: FactsByName): string[] {
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
    .map(([fact, value]) => `${what}: ${fact} was ${quoteText(before[fact] ?? '')}, is ${quoteText(value)}.`);
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

/** Makes JSON with sorted keys, so that reordered keys count as no change. */
function stringifySorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function quoteText(text: string): string {
  return JSON.stringify(text.length > 160 ? `${Array.from(text).slice(0, 160).join('')}…` : text);
}
