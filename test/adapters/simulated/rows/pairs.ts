/** Rules about calls and their results. */
import { go, talk, withTools, type Row } from './row.ts';
import { assistant, BASE, result, TOOL, use, user } from '../wire.ts';

export const PAIRS_ROWS: Row[] = [
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
