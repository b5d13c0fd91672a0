/** How much a proof would notice, in Markdown: the numbers by rule and tool, what survives, and what to look at. */
import type { Finding, ProofStrength, Share } from '../../scenario/proof-strength.ts';
import { markdownCode, markdownTable, markdownText } from '../text/markdown.ts';
import { clip } from '../text/sanitise.ts';
import { shareText, strengthSentence, unmeasuredText, weakestFirst } from './strength-texts.ts';

const MOST_LISTED = 40;

export function strengthMarkdown(strength: ProofStrength): string[] {
  const { rules, tools, survivors, survived, findings, regressions = [] } = strength;
  const left = unmeasuredText(strength);
  return [
    '### Strength of the proof',
    `**${strengthSentence(strength)}.**`,
    ...(left === undefined ? [] : [markdownText(`${left}.`)]),
    ...(regressions.length === 0 ? [] : ['**Weaker than before:**', findingsTable(regressions)]),
    ...(findings.length === 0 ? [] : ['To look at, though it refuses nothing:', findingsTable(findings)]),
    sharesTable('rule', rules),
    sharesTable('tool', tools),
    ...(survivors.length === 0
      ? []
      : [
          `Nothing in the samples pins these (${Math.min(survivors.length, MOST_LISTED)} of ${survived}):`,
          survivors
            .slice(0, MOST_LISTED)
            .map(({ message }) => `- ${markdownText(clip(message, 300))}`)
            .join('\n'),
        ]),
  ];
}

function sharesTable(name: string, shares: Readonly<Record<string, Share>>): string {
  return markdownTable(
    [name, 'strength'],
    weakestFirst(shares).map(([id, share]) => [markdownCode(id), shareText(share)]),
  );
}

function findingsTable(findings: readonly Finding[]): string {
  return markdownTable(
    ['component', 'finding', 'what was found'],
    findings
      .slice(0, MOST_LISTED)
      .map(({ component, code, message }) => [
        markdownCode(component),
        markdownCode(code),
        markdownText(clip(message, 600)),
      ]),
  );
}
