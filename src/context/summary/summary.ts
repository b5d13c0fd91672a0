/** The summary an agent must give: its fields as data, the schema made from them, and how an answer is read. */
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { escapeTags, extractTag } from '../fact-tags.ts';

/** `string`, `list` (of strings) or `object` of more fields; `about` describes the content for the model. */
export type SummaryField = {
  type: 'string' | 'list' | 'object';
  about: string;
  optional: boolean;
  fields?: SummaryFields | undefined;
};
export type SummaryFields = { [name: string]: SummaryField };

const FieldName = z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected a name such as key_paths');

/** The content of `agents/<name>/summary.yaml` (S0.12). */
export const SummaryFields: z.ZodType<SummaryFields> = z.lazy(() =>
  z
    .record(
      FieldName,
      z
        .strictObject({
          type: z.enum(['string', 'list', 'object']),
          about: z.string().default(''),
          optional: z.boolean().default(false),
          fields: SummaryFields.optional(),
        })
        .refine(({ type, fields }) => (type === 'object') === (fields !== undefined), '`fields` belong to an object'),
    )
    .refine((fields) => Object.keys(fields).length > 0, 'expected at least one field'),
);

export type SummaryValue = string | SummaryValue[] | { [name: string]: SummaryValue };

/** Accepts numbers and booleans as text, because a model may write 5 for "5". */
const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** Accepts further fields that the model adds, if they hold only text. */
const ExtraField: z.ZodType<SummaryValue> = z.lazy(() =>
  z.union([Text, z.array(ExtraField), z.record(z.string(), ExtraField)]),
);

export function summarySchema(fields: SummaryFields): z.ZodType<SummaryValue> {
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const schema = fieldSchema(field);
      return [name, field.optional ? schema.optional() : schema];
    }),
  );
  return z.object(shape).catchall(ExtraField) as unknown as z.ZodType<SummaryValue>;
}

function fieldSchema(field: SummaryField): z.ZodType<SummaryValue> {
  if (field.type === 'object') return summarySchema(field.fields ?? {});
  return field.type === 'list' ? z.array(Text) : Text;
}

/** The fields for the model: a JSON skeleton whose values describe the content. */
export function describeFields(fields: SummaryFields): string {
  return JSON.stringify(buildSkeleton(fields), undefined, 2);
}

function buildSkeleton(fields: SummaryFields): SummaryValue {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { type, about, optional, fields: inner }]): [string, SummaryValue] => {
      const hint = optional ? `${about} (may be left out)` : about;
      if (type === 'object') return [name, buildSkeleton(inner ?? {})];
      return [name, type === 'list' ? [hint] : hint];
    }),
  );
}

export type ReadSummary = { ok: true; value: SummaryValue; text: string } | { ok: false; detail: string };

/** Only the text in `<compact_summary>` counts; a tag that is never closed is a truncated answer. */
export function readSummary(answer: string, fields: SummaryFields): ReadSummary {
  const body = extractTag(answer, 'compact_summary');
  if (body === undefined) return { ok: false, detail: 'the answer holds no closed <compact_summary>' };
  const parsed = parseJson(body.replace(/^```(?:json)?\s*/, '').replace(/\s*```$/, ''));
  if (parsed === undefined) return { ok: false, detail: 'the content of <compact_summary> is not JSON' };
  const checked = summarySchema(fields).safeParse(parsed);
  if (checked.success) return { ok: true, value: checked.data, text: renderSummary(checked.data) };
  const [issue] = checked.error.issues;
  return { ok: false, detail: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'does not fit the schema'}` };
}

/** A summary of a transcript, with any fields; undefined when it was made without a model. */
export function storedSummary(text: string): SummaryValue | undefined {
  const body = extractTag(text, 'compact_summary');
  return body === undefined ? undefined : ExtraField.safeParse(parseJson(body)).data;
}

/** The plain JSON, without the model's text around it; none of its texts can open or close one of our tags. */
export function renderSummary(value: SummaryValue): string {
  return `<compact_summary>\n${escapeTags(JSON.stringify(value, undefined, 2))}\n</compact_summary>`;
}

/** Every text in a summary, in order. */
export function summaryLines(value: SummaryValue): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  return Object.values(value).flatMap((part: SummaryValue) => summaryLines(part));
}

const KEY_PATHS = 'key_paths';
/** A name with a folder or an extension; the rest of the line in brackets or after a space is the model's comment. */
const PATH = /^[^\s[(]*[/.][^\s[(]*/;
/** Removes an abbreviated beginning: the end of `scenarios/.../iteration_5` is known, its dots are not a path. */
const ABBREVIATED = /^(?:.*\/)?(?:\.{3}|…)(?:\/|$)/;

/** The paths that the reader of a summary will open (S0.17); none when code wrote it, or when it has no such field. */
export function keyPathsOf(summary: string): string[] {
  const value = storedSummary(summary);
  if (value === undefined || typeof value !== 'object' || Array.isArray(value)) return [];
  const named = Object.hasOwn(value, KEY_PATHS) ? value[KEY_PATHS] : undefined;
  const paths = named === undefined ? [] : summaryLines(named).flatMap((line) => PATH.exec(line.trim())?.[0] ?? []);
  return [...new Set(paths.map((path) => path.replace(ABBREVIATED, '')))].filter((path) => path !== '');
}
