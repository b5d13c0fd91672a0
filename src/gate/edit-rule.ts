/** Edits single fields of one rule in `business_rules.yaml`; all other bytes stay, comments and line ends included. */
import { Composer, CST, isMap, isScalar, isSeq, Parser, type Document, type YAMLMap } from 'yaml';
import { HarnessError, usageError } from '../errors.ts';

/** The fields that a form can edit; any other field of a rule is edited in its file. */
export const RULE_FIELDS = ['title', 'text', 'severity', 'source', 'quote'] as const;
export type RuleField = (typeof RULE_FIELDS)[number];

/** Returns the editable fields of the rule with their texts; undefined when the file has no such rule. */
export function readRuleFields(text: string, id: string): ReadonlyMap<RuleField, string> | undefined {
  const rule = findRuleNode(parseRulesFile(text).document, id);
  if (rule === undefined) return undefined;
  const fields = RULE_FIELDS.map((field) => [field, rule.get(field)] as const);
  return new Map(fields.filter((one): one is [RuleField, string] => typeof one[1] === 'string'));
}

/** Throws `usage` when the rule is missing, or when the file leaves it unclear which text belongs to the rule. */
export function editRule(text: string, id: string, fields: ReadonlyMap<RuleField, string>): string {
  const { tokens, document } = parseRulesFile(text);
  const rule = findRuleNode(document, id);
  if (rule === undefined) throw usageError(`business_rules.yaml has no rule ${id} that a form could edit.`);
  for (const [field, value] of fields) {
    const node = rule.get(field, true);
    if (!isScalar(node) || node.value === value) continue;
    const { srcToken } = node as { srcToken?: CST.Token };
    if (srcToken === undefined || !CST.isScalar(srcToken)) throw unclearEditError(id, field);
    const isBlock = srcToken.type === 'block-scalar';
    // A YAML block would end its lines without the carriage return that the other lines have.
    const keepsStyle = isBlock ? canStayBlock(value) && !text.includes('\r') : canStayPlain(srcToken, value);
    // A double-quoted string can hold any text.
    CST.setScalarValue(srcToken, value, { afterKey: true, ...(keepsStyle ? {} : { type: 'QUOTE_DOUBLE' }) });
  }
  const edited = tokens.map((token) => CST.stringify(token)).join('');
  const now = readRuleFields(edited, id);
  for (const [field, value] of fields) if (now?.get(field) !== value) throw unclearEditError(id, field);
  return edited;
}

type ParsedRulesFile = { tokens: CST.Token[]; document: Document.Parsed | undefined };

function parseRulesFile(text: string): ParsedRulesFile {
  const tokens = [...new Parser().parse(text)];
  const [document, ...others] = [...new Composer({ keepSourceTokens: true }).compose(tokens)];
  const isOne = others.length === 0 && document !== undefined && document.errors.length === 0;
  return { tokens, document: isOne ? document : undefined };
}

function findRuleNode(document: Document.Parsed | undefined, id: string): YAMLMap | undefined {
  const rules: unknown = document?.get('rules');
  if (!isSeq(rules)) return undefined;
  const found = rules.items.filter((item) => isMap(item) && item.get('id') === id);
  const [rule] = found;
  return found.length === 1 && isMap(rule) ? rule : undefined;
}

/** Checks that a YAML block holds the value unchanged. */
function canStayBlock(value: string): boolean {
  return /^\S[^\n\r]*\S$/.test(value);
}

/** Checks that the value needs no quotes under any version of YAML. */
function canStayPlain({ type }: CST.Token, value: string): boolean {
  return (
    type === 'scalar' &&
    /^[A-Za-z][^\n:#"'[\]{},&*!|>%@`]*[^\s:#"'[\]{},&*!|>%@`]$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(value)
  );
}

function unclearEditError(id: string, field: string): HarnessError {
  const what = `The ${field} of ${id} cannot be edited by itself in this file`;
  return usageError(`${what}: edit business_rules.yaml as a whole.`);
}
