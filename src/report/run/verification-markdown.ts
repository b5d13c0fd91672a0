/** What verify-components proved without a model, in Markdown: problems, proofs per sample, coverage per rule. */
import type { Verification } from '../../scenario/result.ts';
import { count } from '../text/number-format.ts';
import { markdownCode, markdownTable, markdownText } from '../text/markdown.ts';
import { clip } from '../text/sanitise.ts';

export function verificationMarkdown({ ok, problems, proofs, coverage }: Verification): string[] {
  const yes = (held: boolean) => (held ? 'yes' : '**NO**');
  const ids = (list: readonly string[]) => list.map(markdownCode).join(', ') || '**none**';
  return [
    '## Verified without a model',
    ok ? 'Every component proved itself.' : `${count(problems.length, 'problem')} found.`,
    ...(problems.length === 0 ? [] : [problemsMarkdown(problems)]),
    ...(proofs.length === 0
      ? []
      : [
          markdownTable(
            ['sample', 'gold passes', 'doing nothing fails', 'wrong path fails', 'mutants fail'],
            proofs.map(({ sample, gold, nothing, wrong, mutants }) => [
              markdownCode(sample),
              ...[gold, nothing, wrong, mutants].map(yes),
            ]),
          ),
        ]),
    ...(Object.keys(coverage).length === 0
      ? []
      : [
          markdownTable(
            ['rule', 'samples', 'checkers'],
            Object.entries(coverage).map(([rule, covered]) => [
              markdownCode(rule),
              ids(covered.samples),
              ids(covered.checkers),
            ]),
          ),
        ]),
  ];
}

function problemsMarkdown(problems: Verification['problems']): string {
  return markdownTable(
    ['layer', 'component', 'problem', 'sample', 'what was found'],
    problems.map(({ layer, component, code, sample, message }) => [
      String(layer),
      markdownCode(component),
      markdownCode(code),
      sample === undefined ? '' : markdownCode(sample),
      markdownText(clip(message, 1000)),
    ]),
  );
}
