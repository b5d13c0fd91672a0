/** The first words of a test: the prompt of the suite with its variables filled in. */
import { parseJson } from '../../parse-json.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { fillNames } from './asserts.ts';
import type { PromptfooConfig, PromptfooPrompt, PromptfooTest } from './shapes.ts';

export function promptFor(
  { defaultTest }: PromptfooConfig,
  { test, prompt }: { test: PromptfooTest; prompt: PromptfooPrompt },
  gap: (text: string) => void,
): string {
  const vars = { ...defaultTest?.vars, ...test.vars };
  const template = typeof prompt === 'string' ? prompt : (prompt.raw ?? prompt.id ?? '');
  if (/^file:\/\/|\.(txt|json|yaml|js|py)$/.test(template))
    gap(`its prompt is the file ${template}: put the text into user.says_first`);
  const { prefix = '', suffix = '' } = { ...defaultTest?.options, ...test.options };
  const text = fillNames(`${prefix}${readChat(template, gap)}${suffix}`, vars);
  if (/(^|\s)file:\/\/\S/.test(text))
    gap('a variable is a file that is no text: put what it says into user.says_first');
  if (/\{[{%]/.test(text)) gap('its prompt holds template code that was not filled in');
  return text.trim() === '' ? Object.values(vars).map(String).join('\n') || 'Hello.' : text;
}

/** A prompt may be a chat in JSON: its user speaks first here, and everything else belongs elsewhere. */
function readChat(template: string, gap: (text: string) => void): string {
  const chat = parseJson(template);
  if (!Array.isArray(chat) || !chat.every((one) => isJsonObject(one) && typeof one['content'] === 'string'))
    return template;
  const messages = chat as { role?: unknown; content: string }[];
  if (messages.some(({ role }) => role !== 'user'))
    gap('its prompt is a chat: put its messages of other roles than the user into the prompt of the subject');
  return messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join('\n\n');
}
