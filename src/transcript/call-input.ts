/** Reads the input of a tool call as other programs write it. */
import { parseJson } from '../parse-json.ts';
import type { ToolUseBlock } from './message.ts';

/** An input that is no object, nor the JSON of one, stays as text: no API takes it back. */
export function readCallInput(given: unknown): Pick<ToolUseBlock, 'input' | 'malformed'> {
  const value = typeof given === 'string' ? (parseJson(given) ?? given) : given;
  if (isObject(value)) return { input: value };
  const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
  return { input: {}, ...(EMPTY.test(text) ? {} : { malformed: text }) };
}

const EMPTY = /^\s*(?:|null|"\s*"|\[\s*\])\s*$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
