/** Finds faults of readings before a person approves them: places, fields, kinds, names, and values read alike. */
import type { FormatSpec } from '../design.ts';
import { sameJson, type JsonObject } from '../json/json-value.ts';
import { keepPossible, buildTable, toBoxes, toFullMask } from './case-table.ts';
import { subtractAll } from './boxes.ts';
import { arithmeticProblems } from './case-problems.ts';
import { formatBox } from './format-cases.ts';
import { listRuleLines, longAttribute, longOutcome, parseRange, type CaseRule, type Cases } from './cases.ts';
import {
  isNumeric,
  isReading,
  listNames,
  listPlaces,
  WORDS,
  type CallReading,
  type Reading,
  type Where,
} from './readings.ts';
import { canHold, findEntrySchema, findPlaceSchema, isContainer, listTypes } from './schema-places.ts';

type ReadFormat = Pick<FormatSpec, 'world' | 'tools' | 'cases'>;

/** Sentences for Init; a design without readings has no faults of readings. */
export function readingProblems({ world, tools, cases }: ReadFormat, rules: readonly CaseRule[]): string[] {
  if (cases === undefined) return [];
  const outcomes = Object.entries(cases.outcomes).map(([name, short]) => ({ name, ...longOutcome(short) }));
  const read = outcomes.filter(({ from }) => isReading(from));
  const { frames = [] } = cases;
  const declared = listDeclaredNames(cases);
  const isTool = (name: string): boolean => tools.some((tool) => tool.name === name);
  return [
    ...outcomes.flatMap((outcome) => {
      const at = `cases: ${outcome.name}`;
      const { from } = outcome;
      if (!isReading(from)) return outcome.as === undefined ? [] : [`${at} has as and no from: say where it is read.`];
      const places = 'calls' in from ? callProblems(from, isTool) : placeProblems(from, world);
      return [
        ...places.map((fault) => `${at}: ${fault}`),
        ...nameProblems(JSON.stringify(from), declared).map((fault) => `${at}: ${fault}`),
        ...valueProblems(outcome, from, { cases, world }).map((fault) => `${at}: ${fault}`),
      ];
    }),
    ...(read.length === 0 ? [] : [...unreadProblems(cases, rules), ...frameGaps(cases, rules)]),
    ...frames.flatMap(({ may_change: places }) =>
      places.flatMap((place) => {
        const found = findPlaceSchema(world, place);
        const faults = [...(found.ok ? [] : [`${place}: its way ${found.fault}.`]), ...nameProblems(place, declared)];
        return faults.map((fault) => `cases: frames: ${fault}`);
      }),
    ),
  ];
}

/** Names of the sample's `case_of`: those that attributes derive from, those that are declared, and attributes themselves. */
function listDeclaredNames({ attributes, names = {} }: Cases): ReadonlySet<string> {
  const derived = Object.values(attributes).flatMap((one) => listNames(JSON.stringify(longAttribute(one).from ?? '')));
  return new Set([...Object.keys(attributes), ...Object.keys(names), ...derived]);
}

function nameProblems(text: string, declared: ReadonlySet<string>): string[] {
  return [...new Set(listNames(text))]
    .filter((name) => !declared.has(name))
    .map(
      (name) =>
        `{${name}} is no attribute and no declared name; write names: { ${name}: what it names } under cases, and samples will say it under case_of.`,
    );
}

function callProblems({ calls, before, after }: CallReading, isTool: (name: string) => boolean): string[] {
  const others = [before, after].flatMap((one) =>
    one === undefined ? [] : [typeof one === 'string' ? one : one.tool],
  );
  return [calls, others]
    .flat(2)
    .filter((name) => !isTool(name))
    .map((name) => `${name} is no tool of format_spec.yaml.`);
}

function placeProblems(reading: Exclude<Reading, CallReading>, world: JsonObject): string[] {
  return listPlaces(reading).flatMap((place) => {
    const found = findPlaceSchema(world, place);
    if (!found.ok) return [`${place}: its way ${found.fault}.`];
    const { schema } = found;
    if ('at' in reading || schema === undefined) return [];
    if ('changed' in reading) {
      if (isContainer(schema)) return [`changed: ${place} is a list or a map; name its entries, ${place}/*.`];
      return fieldProblems(reading, schema, place);
    }
    if (!isContainer(schema)) return [`${place} is no list and no map, so nothing is added to it; use changed or at.`];
    const entry = findEntrySchema(schema);
    return entry === undefined ? [] : fieldProblems(reading, entry, place);
  });
}

type EntryReading = { where?: Where | undefined; sum?: string | undefined; field?: string | undefined };

function fieldProblems({ where = {}, sum, field }: EntryReading, entry: JsonObject, place: string): string[] {
  const isRecord = listTypes(entry).includes('object');
  const look = (name: string) =>
    isRecord || listTypes(entry).length === 0
      ? findPlaceSchema(entry, `/${name}`)
      : name === 'value'
        ? { ok: true as const, schema: entry }
        : { ok: false as const, fault: 'holds single values, which are read as the field value' };
  const used = [...Object.keys(where), ...[sum, field].filter((name) => name !== undefined)];
  const faults = [...new Set(used)].flatMap((name) => {
    const found = look(name);
    return found.ok ? [] : [`an entry of ${place} ${found.fault}.`];
  });
  if (faults.length > 0) return faults;
  const constants = Object.entries(where).flatMap(([name, wanted]) => {
    const found = look(name);
    const unfit = [wanted]
      .flat()
      .find((one) => !listNames(String(one)).length && found.ok && !canHold(found.schema, one));
    return unfit === undefined ? [] : [`where: ${name} of an entry of ${place} is never ${JSON.stringify(unfit)}.`];
  });
  const summed = sum === undefined ? undefined : look(sum);
  const isNumber = summed?.ok !== true || summed.schema === undefined || canHold(summed.schema, 1);
  return [...constants, ...(isNumber ? [] : [`sum: ${sum} of an entry of ${place} is no number.`])];
}

type LongOutcome = ReturnType<typeof longOutcome> & { name: string };

/** Values that could not be read, or that no trial could tell apart. */
function valueProblems(
  { values, as = {} }: LongOutcome,
  from: Reading,
  { cases, world }: { cases: Cases; world: JsonObject },
): string[] {
  const listed = typeof values === 'string' ? [] : values.map(String);
  const strange = Object.keys(as).filter((name) => !listed.includes(name));
  const faults = strange.map((name) => `as: ${name} is none of its values.`);
  const isCount = isNumeric(from);
  const forms = listed.map((name) => ({ name, form: Object.hasOwn(as, name) ? as[name] : name }));
  const twin = forms.find(({ form }, index) => forms.findIndex((other) => sameJson(other.form, form)) < index);
  if (twin !== undefined)
    faults.push(`as: ${twin.name} is read like another value, so no trial could tell them apart.`);
  for (const { name, form } of forms) {
    if (!isCount || typeof form !== 'string' || parseRange(form) !== undefined) continue;
    if (form === name && ['yes', 'no', 'true', 'false'].includes(name)) continue;
    const text = arithmeticProblems('as', form, cases);
    if (text.length > 0)
      faults.push(
        `it is read as a number, and ${name} is none; write as: { ${name}: 0 }, '1..' or arithmetic over attributes.`,
      );
  }
  const place = 'at' in from ? findPlaceSchema(world, from.at) : undefined;
  const schema = place?.ok === true ? place.schema : undefined;
  for (const { form } of forms) {
    if (typeof form !== 'object' || form === null) continue;
    const found = findPlaceSchema(world, form.at);
    if (!found.ok) faults.push(`as: ${form.at}: its way ${found.fault}.`);
    faults.push(...nameProblems(form.at, listDeclaredNames(cases)).map((fault) => `as: ${fault}`));
  }
  const typed = typeof values === 'string' ? [] : values.map((value) => as[String(value)] ?? value);
  const never = typed.find((form) => !isPlace(form) && !canHold(schema, form));
  if (never !== undefined && 'at' in from && typeof values !== 'string')
    faults.push(`${from.at} is never ${JSON.stringify(never)}; say under as what each value looks like there.`);
  return faults;
}

function isPlace(form: unknown): boolean {
  return typeof form === 'object' && form !== null;
}

/** Where some outcomes are read, each one that rules demand says where it is, or that only words show it. */
function unreadProblems({ outcomes }: Cases, rules: readonly CaseRule[]): string[] {
  return Object.entries(outcomes).flatMap(([name, short]) => {
    const demanding = rules.filter((rule) => listRuleLines(rule).some(({ demands }) => demands[name] !== undefined));
    if (longOutcome(short).from !== undefined || demanding.length === 0) return [];
    const ids = demanding.map(({ id }) => id).join(', ');
    return [
      `cases: ${name}, which ${ids} demand${demanding.length === 1 ? 's' : ''}, is read nowhere, and other outcomes are; say from where it is read, or from: ${WORDS} where only the conversation shows it.`,
    ];
  });
}

/** Every case has a frame, because what no reading looks at must not change unseen. */
function frameGaps(cases: Cases, rules: readonly CaseRule[]): string[] {
  const { frames = [] } = cases;
  const hint =
    'write frames: [{ when, may_change: [pointers] }], one for each kind of request; everything else must stay';
  if (frames.length === 0) return [`cases: outcomes are read and there are no frames: ${hint}.`];
  const table = buildTable(cases, rules);
  const covered = frames.flatMap(({ when }) => toBoxes(when, table.attributes));
  const [open] = keepPossible(subtractAll([table.attributes.map(toFullMask)], covered), table);
  return open === undefined ? [] : [`cases: frames: no frame for ${formatBox(open, table)}: ${hint}.`];
}
