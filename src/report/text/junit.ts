/** JUnit XML: suites of cases, each text in it escaped and cut. */
import { clip, xmlText } from './sanitise.ts';

type Kind = 'passed' | 'failure' | 'error' | 'skipped';
export type Case = { name: string; className: string; seconds: number; kind: Kind; message: string; body: string };
export type Suite = { name: string; cases: Case[]; properties: Readonly<Record<string, string>> };

export function junitXml(name: string, suites: readonly Suite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xmlText(name)}" ${counts(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(suiteXml),
    '</testsuites>',
    '',
  ].join('\n');
}

function counts(cases: readonly Case[]): string {
  const of = (kind: Kind) => cases.filter((one) => one.kind === kind).length;
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  return `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" skipped="${of('skipped')}" time="${time}"`;
}

function suiteXml({ name, cases, properties }: Suite): string[] {
  const listed = Object.entries(properties).map(
    ([key, value]) => `      <property name="${key}" value="${xmlText(value)}"/>`,
  );
  return [
    `  <testsuite name="${xmlText(name)}" ${counts(cases)}>`,
    ...(listed.length === 0 ? [] : ['    <properties>', ...listed, '    </properties>']),
    ...cases.map(caseXml),
    '  </testsuite>',
  ];
}

function caseXml({ name, className, seconds, kind, message, body }: Case): string {
  const open = `    <testcase name="${xmlText(name)}" classname="${xmlText(className)}" time="${seconds.toFixed(3)}"`;
  if (kind === 'passed') return `${open}/>`;
  const outcome = `<${kind} message="${xmlText(clip(message, 500))}"`;
  const text = xmlText(clip(body, 20_000));
  return `${open}>\n      ${text === '' || kind === 'skipped' ? `${outcome}/>` : `${outcome}>${text}</${kind}>`}\n    </testcase>`;
}
