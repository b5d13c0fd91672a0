/** The first words of a test: the prompt of the suite with its variables filled in. */
import { parseJson } from '../../parse-json.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { mapTexts } from '../foreign-text.ts';
import { fillText, type Vars } from './fill-text.ts';
import type { PromptfooPrompt, PromptfooTest } from './shapes.ts';

type Reports = Record<'gap' | 'todo', (text: string) => void>;

/** `said`: what the user says first; `prompt`: the text that code of the suite is given in promptfoo. */
export function writePrompt(
  { test, prompt, vars }: { test: PromptfooTest; prompt: PromptfooPrompt; vars: Vars },
  { gap, todo }: Reports,
): { said: string; prompt: string } {
  const template = typeof prompt === 'string' ? prompt : (prompt.raw ?? prompt.id ?? '');
  if (/^file:\/\/|^\S+\.(txt|json|yaml|js|py)$/.test(template))
    gap(`its prompt is the file ${template}: put the text into user.says_first`);
  else if (Object.values(vars).some((one) => typeof one === 'string' && /^file:\/\/\S/.test(one)))
    gap('a variable is a file that is no text: put what it says into user.says_first');
  const { prefix = '', suffix = '' } = test.options ?? {};
  const whole = `${prefix}${template}${suffix}`;
  const json = parseJson(whole);
  let isFilled = !Object.values(vars).some((one) => typeof one === 'string' && one.includes('{%'));
  let hasObject = false;
  const fill = (text: string): string => {
    const made = fillText(text, vars);
    isFilled &&= made.isWhole;
    hasObject ||= made.isWhole && !fillText(text, vars, true).isWhole;
    return made.text;
  };
  // Within JSON each text is filled by itself, so that quotes in a variable cannot break it.
  const filled = typeof json === 'object' && json !== null ? mapTexts(json, fill) : fill(whole);
  if (!isFilled) gap('its prompt holds template code that was not filled in');
  if (hasObject)
    todo(
      'an object stands in its prompt as JSON, where promptfoo writes [object Object]: name a field of it, or | dump',
    );
  const text = typeof filled === 'string' ? filled : JSON.stringify(filled, null, 2);
  const said = readChat(typeof filled === 'string' ? parseJson(filled) : filled, todo) ?? text;
  return { said: said.trim() === '' ? Object.values(vars).map(String).join('\n') || 'Hello.' : said, prompt: text };
}

/** A date that YAML readers may take for a point in time, which is then written with its weekday and zone. */
const DATE = /^\d{4}-\d\d?-\d\d?(?:[Tt ][\d:. ]+(?:Z|[-+]\d\d?(?::\d\d)?)?)?$/;

export function reportDates({ vars, values }: { vars: Vars; values: readonly unknown[] }, todo: Reports['todo']): void {
  const dates = [...Object.values(vars), ...values].flat().filter((one) => typeof one === 'string' && DATE.test(one));
  if (dates.length > 0)
    todo(`${String(dates[0])} is text here: without quotes in YAML, promptfoo takes it for a point in time`);
}

/** A prompt may be a chat in JSON. Its user speaks first; where others speak too, each message is named by its role. */
function readChat(chat: unknown, todo: (text: string) => void): string | undefined {
  if (!Array.isArray(chat) || chat.length === 0) return undefined;
  const messages = chat.map((one) => {
    const { role, content } = isJsonObject(one) ? one : {};
    const parts = (Array.isArray(content) ? content : [{ text: content }]).map((part: unknown) =>
      isJsonObject(part) ? part['text'] : undefined,
    );
    return {
      role: typeof role === 'string' ? role : undefined,
      text: parts.every((part) => typeof part === 'string') ? parts.join('\n') : undefined,
    };
  });
  if (messages.some(({ role, text }) => role === undefined || text === undefined)) return undefined;
  if (messages.every(({ role }) => role === 'user')) return messages.map(({ text }) => text).join('\n\n');
  todo(
    'its prompt is a chat: user.says_first has each message with its role; the prompt of the subject can have them, too',
  );
  return messages.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}
