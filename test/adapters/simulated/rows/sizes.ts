/** Rules about cache marks, sizes and unsigned thinking. */
import { go, talk, withTools, asks, on, marked, type Row } from './row.ts';
import { assistant, result, TOOL, use, user } from '../wire.ts';

export const SIZES_ROWS: Row[] = [
  {
    rule: 'cache_automatic_ttl',
    case: 'two lives for one block',
    says: "Top-level cache_control has ttl='5m'",
    bad: asks({ cache_control: { type: 'ephemeral' }, messages: [user('go', marked('1h'))] }),
    good: asks({ cache_control: { type: 'ephemeral', ttl: '1h' }, messages: [user('go', marked('1h'))] }),
  },
  {
    rule: 'cache_marks_max',
    case: 'five',
    says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    bad: talk(user('go', marked(), marked(), marked(), marked(), marked())),
    good: talk(user('go', marked(), marked(), marked(), marked())),
  },
  {
    rule: 'cache_not_deferred',
    case: 'a mark on a tool that is loaded later',
    says: "Tool 'read' cannot have both defer_loading=true and cache_control set.",
    bad: asks({ tools: [{ ...TOOL, defer_loading: true, cache_control: { type: 'ephemeral' } }] }),
    good: asks({ tools: [{ ...TOOL, defer_loading: true }] }),
  },
  {
    rule: 'cache_marks_max',
    case: 'four and the automatic one',
    bad: asks({ cache_control: { type: 'ephemeral' }, messages: [user(marked(), marked(), marked(), marked(), 'go')] }),
    good: asks({
      cache_control: { type: 'ephemeral' },
      messages: [user('go', marked(), marked(), marked(), marked())],
    }),
  },
  {
    rule: 'cache_marks_max',
    case: 'one inside a result',
    bad: withTools(
      go,
      assistant(use('a')),
      user({ ...result('a'), content: [marked(), marked()] }, marked(), marked(), marked()),
    ),
    good: withTools(
      go,
      assistant(use('a')),
      user({ ...result('a'), content: [marked()] }, marked(), marked(), marked()),
    ),
  },
  {
    rule: 'cache_ttl_order',
    case: 'an hour after five minutes',
    bad: asks({ system: [{ ...marked('5m'), text: 'tester' }], messages: [user('go', marked('1h'))] }),
    good: asks({ system: [{ ...marked('1h'), text: 'tester' }], messages: [user('go', marked('5m'))] }),
  },
  {
    rule: 'prompt_fits_window',
    case: '200K on Haiku 4.5',
    says: 'tokens > 200000 maximum',
    bad: on('claude-haiku-4-5', { messages: [user('go', 'x'.repeat(700_000))] }),
    good: asks({ messages: [user('go', 'x'.repeat(700_000))] }),
  },
  {
    rule: 'thinking_as_signed',
    case: 'signed by nobody',
    bad: talk(go, assistant({ type: 'thinking', thinking: 't', signature: 'AAAA' }, 'a'), go),
    good: talk(go, assistant('a'), go),
  },
  {
    rule: 'thinking_as_signed',
    case: 'redacted, which is never issued',
    bad: talk(go, assistant({ type: 'redacted_thinking', data: 'x' }, 'a'), go),
    good: talk(go, assistant('a'), go),
  },
];
