/** How the offline model answers the checks for the real API; `heard` is its answer to text after tool results. */
import type { ScriptInput } from '../../src/adapters/simulated/scripts/script.ts';
import { SYSTEM } from '../live/checks.ts';

const look = { tool: 'look', input: { thing: '391' } };
export const liveScript = (heard: string): ScriptInput => ({
  version: 1,
  who: 'live',
  match: { system_includes: SYSTEM },
  turns: [
    {
      name: 'colour',
      marker: 'CHECK text-after-results',
      steps: [{ calls: [{ tool: 'look', input: { thing: 'plum' } }] }, { say: heard }],
    },
    { name: 'heard', marker: 'and then with the word HEARD', steps: [{ say: heard }] },
    { name: 'note', marker: 'CHECK note, second turn', steps: [{ say: 'OK.' }] },
    {
      name: 'thinking',
      marker: 'CHECK thinking',
      steps: [{ think: '17 * 23 = 391', calls: [look] }, { say: 'Grey.' }],
    },
    { name: 'caching', marker: 'CHECK caching', steps: [{ say: 'OK.' }] },
    { name: 'refusal', marker: 'please refuse', steps: [{ say: 'Never said.' }] },
  ],
});
