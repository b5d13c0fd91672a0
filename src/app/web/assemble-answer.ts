/** Assembles the bytes of a model's answer into its message, whether it came whole or as a stream of events. */
import { createStreamReader } from '../../adapters/anthropic/response.ts';
import { parseJson } from '../../parse-json.ts';

/** Returns undefined for a stream that broke off, and for bytes of another shape. */
export function assembleAnswer(answer: Buffer): unknown {
  const text = answer.toString('utf8');
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const reader = createStreamReader();
  for (const line of text.split('\n')) if (line.startsWith('data:')) reader.take(parseJson(line.slice('data:'.length)));
  return reader.finish()?.message;
}
