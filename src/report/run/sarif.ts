/** SARIF 2.1.0 of failures, for code scanning: each at the file where a person repairs it. */
import type { Annotation } from './annotations.ts';

export function renderSarif(annotations: readonly Annotation[]): string {
  const results = annotations.map(({ title, text, rule = 'sample', file, line = 1 }) => ({
    ...{ ruleId: rule, level: 'error', message: { text: `${title}: ${text}` } },
    ...(file !== undefined && {
      locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } } }],
    }),
  }));
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({ id }));
  const run = { tool: { driver: { name: 'Tandem', rules } }, results };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}
