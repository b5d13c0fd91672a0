// Fails when a test was skipped or left to do; ends with the plain count that any CI can read.
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
const skipped = sum('numPendingTests') + sum('numTodoTests');
for (const report of reports) {
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status !== 'passed') console.error(`${test.status}: ${test.fullName}`);
    }
  }
}
console.log(`${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${skipped} skipped`);
if (skipped > 0 || sum('numFailedTests') > 0 || sum('numPassedTests') === 0) process.exit(1);
