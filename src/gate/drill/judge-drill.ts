/** Judges what a reviewer did with a planted defect: caught, stopped for something else, or missed. */
import { significantWords, areWordForms } from '../../scenario/language/word-forms.ts';
import { formatCount } from '../../report/text/number-format.ts';
import type { GateDecision } from '../rules/gate.ts';
import type { Defect } from './plant-defect.ts';

export const DRILL_BEFORE =
  'One defect was planted in this copy of an approved design. Decide as you would, and say what is wrong and where. Nothing of it counts.';

export type DrillResult = { outcome: 'caught' | 'stopped' | 'missed'; seconds: number; planted: string; text: string };

/** Words that a comment must share with a rule that is not there, and so has no id that a reviewer could write. */
const LEAST_WORDS = 2;

export function judgeDrill(
  { rule, rules, kind, text: planted }: Defect,
  { decision, comment }: Pick<GateDecision, 'decision' | 'comment'>,
  shownMs: number,
): DrillResult {
  const seconds = Math.round(shownMs / 1000);
  const time = formatCount(seconds, 'second');
  const isNamed =
    rules.some((id) => new RegExp(String.raw`\b${id}\b`, 'i').test(comment)) ||
    (kind === 'missing_rule' && sharesWords(comment, `${rule.title} ${rule.text}`));
  const outcome =
    decision === 'approve' || (decision === 'edit_approve' && !isNamed) ? 'missed' : isNamed ? 'caught' : 'stopped';
  const said = {
    caught: `Caught in ${time}: you did not let the design pass, and named where it is wrong.`,
    stopped: `Stopped after ${time}, but not for the planted defect: your comment does not name it.`,
    missed: `Missed: you approved the design after ${time}.`,
  };
  return { outcome, seconds, planted, text: `Practice is over. ${said[outcome]}` };
}

function sharesWords(comment: string, rule: string): boolean {
  const own = [...new Set(significantWords(rule))];
  const said = significantWords(comment);
  return own.filter((word) => said.some((other) => areWordForms(word, other))).length >= LEAST_WORDS;
}
