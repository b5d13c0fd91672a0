/** Parses the answer of a subject that is no model, and its meaning for the conversation. */
import { z } from 'zod';
import { secretForms } from '../anthropic/scrub.ts';
import { isJsonObject, shapeFault } from '../../scenario/json/json-value.ts';
import { stoppedTurn, type SubjectTurn } from '../../ports/subject.ts';
import { NO_USAGE } from '../../transcript/message.ts';

export { stoppedTurn };

/** The most characters of one answer. */
export const MAX_ANSWER_CHARS = 4 * 1024 * 1024;

/** The most that one answer may cost, so that sums stay finite numbers. */
const MAX_USD = 1_000_000;

const Answer = z.strictObject({
  say: z.string().default(''),
  calls: z
    .array(
      z.strictObject({
        id: z.string().optional(),
        tool: z.string(),
        args: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .default([]),
  /** True when the subject ends the conversation, whatever the user would answer. */
  done: z.boolean().default(false),
  cost_usd: z.number().nonnegative().max(MAX_USD).default(0),
});

/** The scenario names the wrong kind of subject, which is not the subject's failure. */
const CHAT_COMPLETIONS =
  'it answers as a Chat Completions endpoint does: write "kind: openai" with base_url and model in scenario.yaml (docs/subjects.md), instead of the kind that is there';

/** `number` makes ids for calls that came without one. */
export function parseTurn(text: string, number: number): SubjectTurn {
  if (text.length > MAX_ANSWER_CHARS)
    return stoppedTurn('crashed', `its answer is longer than ${MAX_ANSWER_CHARS} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return stoppedTurn('crashed', `it answered something that is no JSON: ${text.slice(0, 200)}`);
  }
  const parsed = Answer.safeParse(value);
  if (!parsed.success) {
    if (isJsonObject(value) && Array.isArray(value['choices'])) return stoppedTurn('infrastructure', CHAT_COMPLETIONS);
    const faults = parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
    const detail = `its answer does not fit {say, calls: [{id, tool, args}], done, cost_usd}: ${faults.join('; ')}`;
    return stoppedTurn('crashed', detail);
  }
  const { say, calls, done, cost_usd: costUsd } = parsed.data;
  if (shapeFault(calls) !== undefined)
    return stoppedTurn('crashed', 'its calls are nested too deep, or hold a number that is too large for JSON');
  const named = calls.map(({ id, ...call }, index) => ({ id: id ?? `call_${number}_${index + 1}`, ...call }));
  const isOver = done && calls.length === 0;
  return { says: say.trim(), calls: named, usage: NO_USAGE, costUsd, ...(isOver ? { end: { stop: 'done' } } : {}) };
}

/** Removes secrets that the subject repeats, so that they reach no file and no screen. */
export function createSecretRedactor(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.flatMap(secretForms).toSorted((one, other) => other.length - one.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '(secret)'), text);
}
