/** Formats the strength of a proof for a terminal: numbers, findings, regressions, survivors by rule and line. */
import { shareText, strengthSentence, unmeasuredText, weakestFirst } from '../../report/run/strength-texts.ts';
import type { ProofStrength } from '../../scenario/proof-strength.ts';

const MOST_LISTED = 30;

export function strengthLines(strength: ProofStrength): string[] {
  const { rules, tools, findings, survivors, survived, regressions } = strength;
  const left = unmeasuredText(strength);
  const shares = [...weakestFirst(rules), ...weakestFirst(tools)].map(
    ([name, share]) => `  ${name}: ${shareText(share)}`,
  );
  return [
    `Strength of the proof: ${strengthSentence(strength)}.`,
    ...(left === undefined ? [] : [`  ${left}.`]),
    ...shares,
    ...(findings.length === 0 ? [] : ['To look at (this refuses nothing):']),
    ...findings.map(({ code, message }) => `  ${code}: ${message}`),
    ...(survived === 0 ? [] : [`${survived} faults survive:`]),
    ...survivors.slice(0, MOST_LISTED).map((one) => `  ${ruleText(one.rules)}${one.message}`),
    ...(survivors.length > MOST_LISTED ? [`  … and ${survived - MOST_LISTED} more; --json lists them all`] : []),
    ...regressionLines(regressions),
  ];
}

function ruleText(rules: readonly string[]): string {
  return rules.length === 0 ? '' : `${rules.join(', ')}: `;
}

function regressionLines(regressions: ProofStrength['regressions']): string[] {
  if (regressions === undefined) return [];
  if (regressions.length === 0) return ['Nothing that was caught before survives now.'];
  return ['Weaker than before:', ...regressions.map(({ code, message }) => `  ${code}: ${message}`)];
}
