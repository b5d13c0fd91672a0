/** Says in one plain sentence where an outcome is read, for the person who approves it. */
import { listPlaces, WORDS, type CallReading, type Reading, type Where } from './readings.ts';

export function formatReading(from: Reading | typeof WORDS): string {
  if (from === WORDS) return 'shown by words, which checkers judge';
  return `read as ${'calls' in from ? formatCalls(from) : formatEntries(from)}`;
}

function formatEntries(reading: Exclude<Reading, CallReading>): string {
  const places = listPlaces(reading).join(' and ');
  if ('at' in reading) return `what ${places} holds at the end`;
  const deed = 'added' in reading ? 'added under' : 'removed' in reading ? 'removed from' : 'changed at';
  const what = `what was ${deed} ${places}${formatWhere(reading.where)}`;
  if (reading.sum !== undefined) return `${'changed' in reading ? 'by how much' : 'the sum of'} ${reading.sum} of ${what}`;
  return reading.field === undefined ? `the number of ${what}` : `${reading.field} of ${what}`;
}

function formatCalls({ calls, where, answers, before, after }: CallReading): string {
  const other = (one: NonNullable<CallReading['before']>): string =>
    typeof one === 'string' ? one : `${one.tool} answered ${formatFields(one.answers)}`;
  const parts = [
    `the number of calls of ${[calls].flat().join(', ')}${formatWhere(where)}`,
    answers === undefined ? '' : ` answered ${formatFields(answers)}`,
    before === undefined ? '' : ` before ${other(before)}`,
    after === undefined ? '' : ` after ${other(after)}`,
  ];
  return parts.join('');
}

function formatWhere(where: Where | undefined): string {
  return where === undefined ? '' : ` with ${formatFields(where)}`;
}

function formatFields(where: Where): string {
  return Object.entries(where)
    .map(([field, value]) => `${field} ${[value].flat().map(String).join(' or ')}`)
    .join(', ');
}
