/** Rules about the API's own compaction that need no conversation that was held; the others: compaction.test.ts. */
import { sealCompaction } from '../../../../src/adapters/simulated/request/compaction-signature.ts';
import { assistant, BASE, result, type Sent, TOOL, use, user, type Json } from '../wire.ts';
import { go, type Row, type Try } from './row.ts';

const BETA: Sent = { headers: { 'anthropic-beta': 'compact-2026-09-04' } };
const summarize = { compaction: { type: 'summarize' } };
const block: Json = { ...sealCompaction('Summary.', { head: 'h', prefix: 'p', lastRole: 'user' }) };
const compacting = (...messages: Json[]): Try => ({
  body: { ...BASE, tools: [TOOL], messages, ...summarize },
  sent: BETA,
});
const carrying = (...messages: Json[]): Try => ({ body: { ...BASE, messages }, sent: BETA });
const after = [assistant('a'), go];

export const COMPACTION_ROWS: Row[] = [
  {
    rule: 'compaction_beta',
    case: 'the field without its beta',
    says: 'Extra inputs are not permitted',
    bad: { body: { ...BASE, ...summarize } },
    good: compacting(go),
  },
  {
    rule: 'compaction_beta',
    case: 'the block without its beta',
    bad: { body: { ...BASE, messages: [assistant(block), ...after] } },
    good: carrying(assistant(block), ...after),
  },
  {
    rule: 'compaction_supported',
    case: 'a model of 4.5',
    bad: { body: { ...BASE, model: 'claude-haiku-4-5', ...summarize }, sent: BETA },
    good: compacting(go, assistant('a')),
  },
  {
    rule: 'compaction_block_ambiguous',
    case: 'two blocks',
    bad: carrying(assistant(block), go, assistant(block), go),
    good: carrying(assistant(block), go),
  },
  {
    rule: 'compaction_block_misplaced',
    case: 'a block after a message',
    bad: carrying(go, assistant(block), go),
    good: carrying(assistant(block), go),
  },
  {
    rule: 'compaction_block_misplaced',
    case: 'a block beside text',
    bad: carrying(assistant(block, 'and more'), go),
    good: carrying(assistant(block), assistant('and more'), go),
  },
  {
    rule: 'compaction_block_intact',
    case: 'edited words',
    says: 'content_mismatch',
    bad: carrying(assistant({ ...block, content: 'Other words.' }), go),
    good: carrying(assistant(block), go),
  },
  {
    rule: 'compaction_block_intact',
    case: 'a foreign signature',
    says: 'signature_invalid',
    bad: carrying(assistant({ ...block, signature: 'forged' }), go),
    good: carrying(assistant(block), go),
  },
  {
    rule: 'compaction_block_intact',
    case: 'tool changes that were left out',
    says: 'tool_changes_mismatch',
    bad: carrying(assistant({ ...block, tool_changes: null }), go),
    good: carrying(assistant(block), go),
  },
  {
    rule: 'compaction_incomplete_turn',
    case: 'an open call (T7)',
    bad: compacting(go, assistant(use('a'))),
    good: compacting(go, assistant(use('a')), user(result('a'))),
  },
  {
    rule: 'compaction_nothing_to_summarize',
    case: 'nothing but a block',
    bad: compacting(assistant(block)),
    good: compacting(assistant(block), go),
  },
];
