/** Rules about roles, order and content of messages. */
import { go, talk, withTools, asks, image, type Row } from './row.ts';
import { assistant, BASE, result, use, user } from '../wire.ts';

export const ORDER_ROWS: Row[] = [
  { rule: 'messages_present', case: 'none', bad: talk(), good: talk(go) },
  { rule: 'first_is_user', case: 'assistant first', bad: talk(assistant('a'), go), good: talk(go, assistant('a'), go) },
  {
    rule: 'first_is_user',
    case: 'system first',
    bad: talk({ role: 'system', content: 's' }, go),
    good: talk(go, { role: 'system', content: 's' }),
  },
  {
    rule: 'system_role_supported',
    case: 'an older model',
    bad: { body: { ...BASE, model: 'claude-sonnet-5', messages: [go, { role: 'system', content: 's' }] } },
    good: talk(go, { role: 'system', content: 's' }, { role: 'system', content: 't' }),
  },
  {
    rule: 'system_place',
    case: 'between call and result',
    bad: withTools(go, assistant(use('a')), { role: 'system', content: 's' }, user(result('a'))),
    good: withTools(go, assistant(use('a')), user(result('a')), { role: 'system', content: 's' }),
  },
  {
    rule: 'system_place',
    case: 'before a user message',
    bad: talk(go, { role: 'system', content: 's' }, go),
    good: talk(go, { role: 'system', content: 's' }, assistant('a'), go),
  },
  {
    rule: 'content_present',
    case: 'an empty array',
    bad: talk(go, { role: 'assistant', content: [] }, go),
    good: talk(go, assistant('a'), go),
  },
  {
    rule: 'content_present',
    case: 'an empty string',
    bad: talk({ role: 'user', content: '' }),
    good: talk({ role: 'user', content: 'go' }),
  },
  {
    rule: 'block_in_its_role',
    case: 'a result from the assistant',
    bad: withTools(go, assistant(result('a')), go),
    good: withTools(go, assistant(use('a')), user(result('a'))),
  },
  {
    rule: 'block_in_its_role',
    case: 'a call from the user',
    bad: withTools(user('go', use('a'))),
    good: withTools(go),
  },
  {
    rule: 'block_in_its_role',
    case: 'an image from the assistant',
    bad: talk(go, assistant(image), go),
    good: talk(user('go', image)),
  },
  {
    rule: 'text_not_blank',
    case: 'empty text',
    says: 'text content blocks must be non-empty',
    bad: talk(user('go', '')),
    good: talk(user('go', 'x')),
  },
  {
    rule: 'text_not_blank',
    case: 'whitespace',
    says: 'text content blocks must contain non-whitespace text',
    bad: talk(user('go', ' \n')),
    good: talk(user('go', ' x ')),
  },
  {
    rule: 'text_not_blank',
    case: 'empty system text',
    bad: asks({ system: [{ type: 'text', text: '' }] }),
    good: asks({ system: [{ type: 'text', text: 'tester' }] }),
  },
  {
    rule: 'text_not_blank',
    case: 'empty text in a result',
    bad: withTools(go, assistant(use('a')), user({ ...result('a'), content: [{ type: 'text', text: '' }] })),
    good: withTools(go, assistant(use('a')), user({ type: 'tool_result', tool_use_id: 'a' })),
  },
  {
    rule: 'no_prefill',
    case: 'ends with the assistant',
    says: 'does not support assistant message prefill',
    bad: talk(go, assistant('{')),
    good: { body: { ...BASE, model: 'claude-haiku-4-5', messages: [go, assistant('{')] } },
  },
  {
    rule: 'prefill_not_trailing_space',
    case: 'ends in a blank',
    bad: { body: { ...BASE, model: 'claude-haiku-4-5', messages: [go, assistant('{ ')] } },
    good: { body: { ...BASE, model: 'claude-haiku-4-5', messages: [go, assistant('{')] } },
  },
];
