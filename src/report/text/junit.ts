/** JUnit XML: suites of cases; each text in it is escaped and clipped. */
import { clipText, xmlText } from './sanitise.ts';

type TestOutcome = 'passed' | 'failure' | 'error' | 'skipped';
export type TestCase = {
  name: string;
  className: string;
  seconds: number;
  kind: TestOutcome;
  message: string;
  body: string;
};
export type TestSuite = { name: string; cases: TestCase[]; properties: Readonly<Record<string, string>> };

export function junitXml(name: string, suites: readonly TestSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xmlText(name)}" ${formatCaseCounts(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(suiteXml),
    '</testsuites>',
    '',
  ].join('\n');
}

function formatCaseCounts(cases: readonly TestCase[]): string {
  const of = (kind: TestOutcome) => cases.filter((one) => one.kind === kind).length;
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  return `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}" time="${time}"`;
}

function suiteXml({ name, cases, properties }: TestSuite): string[] {
  const listed = Object.entries(properties).map(
    ([key, value]) => `      <property name="${key}" value="${xmlText(value)}"/>`,
  );
  return [
    `  <testsuite name="${xmlText(name)}" ${formatCaseCounts(cases)}>`,
    ...(listed.length === 0 ? [] : ['    <properties>', ...listed, '    </properties>']),
    ...cases.map(caseXml),
    '  </testsuite>',
  ];
}

function caseXml({ name, className, seconds, kind, message, body }: TestCase): string {
  const open = `    <testcase name="${xmlText(name)}" classname="${xmlText(className)}" time="${seconds.toFixed(3)}"`;
  if (kind === 'passed') return `${open}/>`;
  const outcome = `<${kind} message="${xmlText(clipText(message, 500))}"`;
  const text = xmlText(clipText(body, 20_000));
  return `${open}>\n      ${text === '' || kind === 'skipped' ? `${outcome}/>` : `${outcome}>${text}</${kind}>`}\n    </testcase>`;
}
