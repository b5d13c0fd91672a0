/** One rule of `business_rules.yaml` with other words: what is not edited stays byte for byte, comments and line ends included. */
import { Composer, CST, isMap, isScalar, isSeq, Parser, type Document, type YAMLMap } from 'yaml';
import { HarnessError, usageError } from '../errors.ts';

/** What a form can edit: whatever else a rule has is edited in its file. */
export const RULE_FIELDS = ['title', 'text', 'severity', 'source', 'quote'] as const;
export type RuleField = (typeof RULE_FIELDS)[number];

/** The fields that this rule has in the file, with their texts; undefined when there is no such rule. */
export function ruleFields(text: string, id: string): ReadonlyMap<RuleField, string> | undefined {
  const rule = ruleIn(compose(text).document, id);
  if (rule === undefined) return undefined;
  return new Map(
    RULE_FIELDS.flatMap((field) => {
      const value: unknown = rule.get(field);
      return typeof value === 'string' ? [[field, value] as const] : [];
    }),
  );
}

/** Contract: `usage` for a rule that is not there, or a file in which it is unclear what belongs to it. */
export function editRule(text: string, id: string, fields: ReadonlyMap<RuleField, string>): string {
  const { tokens, document } = compose(text);
  const rule = ruleIn(document, id);
  if (rule === undefined) throw usageError(`business_rules.yaml has no rule ${id} that a form could edit.`);
  for (const [field, value] of fields) {
    const node = rule.get(field, true);
    if (!isScalar(node) || node.value === value) continue;
    const { srcToken } = node as { srcToken?: CST.Token };
    if (srcToken === undefined || !CST.isScalar(srcToken)) throw unclear(id, field);
    const isBlock = srcToken.type === 'block-scalar';
    // A block would end its lines without the carriage return that others have.
    const keepsStyle = isBlock ? isParagraph(value) && !text.includes('\r') : isPlain(srcToken, value);
    // Quotes hold every text.
    CST.setScalarValue(srcToken, value, { afterKey: true, ...(keepsStyle ? {} : { type: 'QUOTE_DOUBLE' }) });
  }
  const edited = tokens.map((token) => CST.stringify(token)).join('');
  const now = ruleFields(edited, id);
  for (const [field, value] of fields) if (now?.get(field) !== value) throw unclear(id, field);
  return edited;
}

type Composed = { tokens: CST.Token[]; document: Document.Parsed | undefined };

function compose(text: string): Composed {
  const tokens = [...new Parser().parse(text)];
  const [document, ...others] = [...new Composer({ keepSourceTokens: true }).compose(tokens)];
  const isOne = others.length === 0 && document !== undefined && document.errors.length === 0;
  return { tokens, document: isOne ? document : undefined };
}

function ruleIn(document: Document.Parsed | undefined, id: string): YAMLMap | undefined {
  const rules: unknown = document?.get('rules');
  if (!isSeq(rules)) return undefined;
  const found = rules.items.filter((item) => isMap(item) && item.get('id') === id);
  const [rule] = found;
  return found.length === 1 && isMap(rule) ? rule : undefined;
}

/** What a block holds as it is. */
function isParagraph(value: string): boolean {
  return /^\S[^\n\r]*\S$/.test(value);
}

/** Words that need no quotes today and none tomorrow. */
function isPlain({ type }: CST.Token, value: string): boolean {
  return (
    type === 'scalar' &&
    /^[A-Za-z][^\n:#"'[\]{},&*!|>%@`]*[^\s:#"'[\]{},&*!|>%@`]$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(value)
  );
}

function unclear(id: string, field: string): HarnessError {
  return usageError(
    `The ${field} of ${id} cannot be edited by itself in this file: edit business_rules.yaml as a whole.`,
  );
}
