/** Rules that demand that something is looked up before something is done. */
import type { BusinessRule } from '../../../../scenario/design.ts';

const ORDER = /\b(?:before|first|prior to|until|bevor|ehe|zuerst|zunächst|vorher)\b|之前|先|以前/i;
const READING =
  /\b(?:look\w*[ -]?up|look(?:s|ed|ing)? (?:at|for|into)|check\w*|read\w*|verif\w*|find\w*|found|identif\w*|retriev\w*|consult\w*|nachs\w+|prüf\w*|geprüft|gelesen|liest|lesen|sucht|gesucht)\b|查|核实|确认|读取/i;

/** By the words of the rule: a rule that is missed costs a false remark, and nothing else. */
export function demandsLookup({ title, text }: Pick<BusinessRule, 'title' | 'text'>): boolean {
  return [title, text].some((words) => ORDER.test(words) && READING.test(words));
}
