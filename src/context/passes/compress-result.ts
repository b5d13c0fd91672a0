/** Compresses a result, and a call's input, of a finished turn by the tool's rule (S1.4 - S1.6). */
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { takeHead, estimateText } from '../../transcript/tokens.ts';
import type { ToolUseBlock } from '../../transcript/message.ts';
import type { Policy, ResultRule } from '../policy.ts';
import type { ToolResultAt } from './cut-draft.ts';
import { COMPRESSED, errorLines, shortenText } from './shorten-long-results.ts';

/** The answer of a tool that reports in fields: `text`, `stats` and `context` are repetitions (S1.5). */
const Report = z.looseObject({
  status: z.string(),
  data: z.unknown(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});

export function ruleFor(name: string, { results }: Policy): ResultRule | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9*]/g, '');
  const named = results.rules.find(({ tools }) => tools.some((tool) => plain(tool) === plain(name)));
  return named ?? results.rules.find(({ tools }) => tools.includes('*'));
}

/** Returns undefined when the rule does not change the result. */
export function compressResult(result: ToolResultAt, policy: Policy, where: string): string | undefined {
  const { text, call, block } = result;
  const rule = call === undefined ? undefined : ruleFor(call.name, policy);
  if (rule === undefined) return undefined;
  const { errors } = policy.longResult;
  const plain = block.is_error === true ? text : cutLines(text, { ...rule, errors, input: call?.input });
  const cut = compressReport(text, { ...rule, errors }) ?? plain;
  // The rule already limits numbered lines; a later pass shortens the result if it still does not fit.
  const short = rule.form === 'numbered' ? cut : (shortenText(cut, policy.longResult, where) ?? cut);
  const compressed = short === text ? short : `${short}${COMPRESSED}${where}]`;
  return estimateText(compressed) < estimateText(text) ? compressed : undefined;
}

/** Long texts in the input of a write or an edit keep their first lines: the file itself has the rest. */
export function compressInput(call: ToolUseBlock, policy: Policy, where: string): Record<string, unknown> | undefined {
  const rule = ruleFor(call.name, policy);
  if (rule === undefined || (rule.form !== 'edit' && rule.form !== 'recap')) return undefined;
  const recap = (value: unknown): unknown => (Array.isArray(value) ? value.map(recapTodo) : value);
  const shorten = rule.form === 'recap' ? recap : (value: unknown) => cutDeep(value, rule, where);
  const input = Object.fromEntries(Object.entries(call.input).map(([key, value]) => [key, shorten(value)]));
  return JSON.stringify(input).length < JSON.stringify(call.input).length ? input : undefined;
}

/** `errors`: tokens of the lines in the middle that speak of errors. */
type CutRule = ResultRule & { errors: number; input?: Record<string, unknown> | undefined };

function compressReport(text: string, rule: CutRule): string | undefined {
  const report = text.startsWith('{') ? Report.safeParse(parseJson(text)).data : undefined;
  if (report === undefined) return undefined;
  const { status, data, error } = report;
  const failed = error === undefined ? {} : { error: { code: error.code, message: error.message } };
  return JSON.stringify({ status, data: cutData(data, rule), ...failed });
}

/** Lists and texts lose their end; the number of removed elements is added. */
function cutData(value: unknown, rule: CutRule): unknown {
  if (typeof value === 'string') return cutLines(value, rule);
  if (Array.isArray(value)) {
    const most = Math.max(1, rule.lines);
    const head = value.slice(0, most).map((part: unknown) => cutData(part, rule));
    return value.length <= most ? head : [...head, `[... ${value.length - most} more ...]`];
  }
  if (typeof value !== 'object' || value === null) return value;
  // In the result of a command, the errors matter: of its `stdout` only the beginning is retained.
  const ofPart = (key: string): CutRule =>
    rule.form === 'tail' && key === 'stdout' ? { ...rule, form: 'lines', lines: TAIL_HEAD } : rule;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cutData(part, ofPart(key))]));
}

/** Lines at the beginning of a command's output: a fatal error is often there. */
const TAIL_HEAD = 5;

function cutLines(text: string, { form, lines, errors, input }: CutRule): string {
  const all = text.split('\n');
  switch (form) {
    case 'lines':
    case 'edit':
    case 'numbered': {
      if (all.length <= lines) return text;
      const head = all.slice(0, lines);
      const shown = form === 'numbered' ? numberLines(head, input) : head;
      return [...shown, formatOmission(all.length - lines)].join('\n');
    }
    case 'tail': {
      const middle = all.slice(TAIL_HEAD, Math.max(TAIL_HEAD, all.length - lines));
      if (middle.length === 0) return text;
      const found = errorLines(middle.join('\n'), errors);
      return [
        ...all.slice(0, TAIL_HEAD),
        formatOmission(middle.length - found.length),
        ...found,
        ...all.slice(-lines),
      ].join('\n');
    }
    case 'recap':
      return describeRecap(input) ?? text;
    case 'text': {
      const half = Math.ceil(lines / 2);
      if (all.length <= lines) return text;
      return [
        ...all.slice(0, half),
        formatOmission(all.length - lines),
        ...all.slice(all.length - (lines - half)),
      ].join('\n');
    }
    default:
      return form satisfies never;
  }
}

/** Numbers the lines from the first one that was read, unless the tool has numbered them itself. */
function numberLines(lines: readonly string[], input: Record<string, unknown> | undefined): string[] {
  if (/^\s*\d+(?:→|\t|: )/.test(lines[0] ?? '')) return [...lines];
  const range = input?.['view_range'];
  const from: unknown = Array.isArray(range) ? range[0] : input?.['offset'];
  const first = typeof from === 'number' && from > 0 ? from : 1;
  return lines.map((line, place) => `${first + place}\t${line}`);
}

function formatOmission(lines: number): string {
  return `[... ${lines} lines more ...]`;
}

function cutDeep(value: unknown, rule: ResultRule, where: string): unknown {
  if (Array.isArray(value)) return value.map((part: unknown) => cutDeep(part, rule, where));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cutDeep(part, rule, where)]));
  if (typeof value !== 'string') return value;
  const all = value.split('\n');
  if (all.length <= rule.lines) return value;
  const left = all.length - rule.lines;
  return [...all.slice(0, rule.lines), `[... ${left} lines more: ${where}, or read the file ...]`].join('\n');
}

/** Reduces each todo to one line with its status and text; the recap has the current list in full. */
function recapTodo(item: unknown): unknown {
  const { data } = TodoItem.safeParse(item);
  const text = data?.text ?? data?.content;
  return text === undefined ? item : `[${data?.status ?? ''}] ${takeHead(text, RECAP_CHARS)}`;
}

const RECAP_CHARS = 80;
const TodoItem = z.object({
  text: z.string().optional(),
  content: z.string().optional(),
  status: z.string().optional(),
});

function describeRecap(input: Record<string, unknown> | undefined): string | undefined {
  const list = Object.values(input ?? {}).find((value) => Array.isArray(value));
  return list === undefined ? undefined : `${list.length} todos; the list as it is now is in the recap`;
}
