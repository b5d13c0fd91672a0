/** Rules about calls and their results. */
import { document, go, talk, withTools, type Row } from './row.ts';
import { assistant, BASE, result, TOOL, use, user } from '../wire.ts';

const search = (id: string) => ({ type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search', input: {} });
const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${id}`, content: [] });

export const PAIRS_ROWS: Row[] = [
  {
    rule: 'server_tool_answered',
    case: 'words after a call of the server that was paused',
    says: 'was found without a corresponding `web_search_tool_result` block',
    bad: withTools(go, assistant(search('1')), user('go on')),
    good: withTools(go, assistant('I look.', search('1'))),
  },
  {
    rule: 'server_tool_answered',
    case: 'a result whose call was cut off',
    says: 'unexpected `tool_use_id` found in `web_search_tool_result`: srvtoolu_1',
    bad: withTools(go, assistant(found('1'), 'So.'), user('go')),
    good: withTools(go, assistant(search('1')), assistant(found('1'), 'So.'), user('go')),
  },
  {
    rule: 'server_tool_answered',
    case: 'an answer after the results of tools that begins without the result',
    bad: withTools(go, assistant(search('1'), use('a')), user(result('a')), assistant('So.'), user('go')),
    good: withTools(go, assistant(search('1'), use('a')), user(result('a')), assistant(found('1'), 'So.'), user('go')),
  },
  {
    rule: 'tool_error_is_text',
    case: 'a document in the result of a call that failed',
    says: 'all content must be type "text" if "is_error" is true',
    bad: withTools(go, assistant(use('a')), user({ ...result('a'), content: [document], is_error: true })),
    good: withTools(go, assistant(use('a')), user({ ...result('a'), content: [document] })),
  },
  {
    rule: 'no_prefill',
    case: 'an answer whose calls of the server have their results',
    bad: withTools(go, assistant(search('1'), found('1'), 'So')),
    good: withTools(go, assistant(search('1'), found('1'), search('2'))),
  },
  {
    rule: 'tool_use_id_format',
    case: 'a dot in the id',
    bad: withTools(go, assistant(use('a.b')), user(result('a.b'))),
    good: withTools(go, assistant(use('a-b_1')), user(result('a-b_1'))),
  },
  {
    rule: 'tool_use_ids_unique',
    case: 'the same id in two steps',
    bad: withTools(go, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))),
    good: withTools(go, assistant(use('a')), user(result('a')), assistant(use('b')), user(result('b'))),
  },
  {
    rule: 'tool_results_first',
    case: 'text before the result',
    says: 'without `tool_result` blocks immediately after: a',
    bad: withTools(go, assistant(use('a')), user('text', result('a'))),
    good: withTools(go, assistant(use('a')), user(result('a'), 'text')),
  },
  {
    rule: 'tool_results_first',
    case: 'text between two results in two messages',
    bad: withTools(go, assistant(use('a'), use('b')), user(result('a'), 'text'), user(result('b'))),
    good: withTools(go, assistant(use('a'), use('b')), user(result('a')), user(result('b'))),
  },
  {
    rule: 'tool_use_answered',
    case: 'no result (S2.6, T6)',
    says: '`tool_use` ids were found without `tool_result` blocks immediately after: b',
    bad: withTools(go, assistant(use('a'), use('b')), user(result('a'))),
    good: withTools(go, assistant(use('a'), use('b')), user(result('b'), result('a'))),
  },
  {
    rule: 'tool_use_answered',
    case: 'an open call before a prompt (T7)',
    bad: withTools(go, assistant(use('a')), user('summarise')),
    good: withTools(go, assistant(use('a')), user(result('a'), 'summarise')),
  },
  {
    rule: 'tool_use_answered',
    case: 'an open call at the end of a prefill',
    bad: { body: { ...BASE, model: 'claude-haiku-4-5', tools: [TOOL], messages: [go, assistant(use('a'))] } },
    good: withTools(go),
  },
  {
    rule: 'tool_result_expected',
    case: 'its call was cut off (T6)',
    says: 'unexpected `tool_use_id` found in `tool_result` blocks: a',
    bad: withTools(user(result('a'), 'go')),
    good: withTools(go, assistant(use('a')), user(result('a'))),
  },
  {
    rule: 'tool_result_expected',
    case: 'its call is older than one turn',
    bad: withTools(go, assistant(use('a')), user(result('a')), assistant('x'), user(result('a'))),
    good: withTools(go, assistant(use('a')), user(result('a')), assistant('x'), go),
  },
  {
    rule: 'tool_result_single',
    case: 'two results for one call (T8)',
    says: 'Found multiple `tool_result` blocks with id: a',
    bad: withTools(go, assistant(use('a')), user(result('a'), result('a'))),
    good: withTools(go, assistant(use('a')), user(result('a'))),
  },
  {
    rule: 'tools_defined',
    case: 'a history with calls and no tools',
    bad: talk(go, assistant(use('a')), user(result('a'))),
    good: withTools(go, assistant(use('a')), user(result('a'))),
  },
];
