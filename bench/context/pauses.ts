/** Pauses longer than the prompt cache lives, at seeded places of a conversation: somebody at lunch, a gate over night. */
import type { MessageEntry } from '../../src/transcript/entry.ts';
import { seeded } from './random.ts';
import type { BenchScenario } from './scenarios.ts';

const BEGINS = Date.parse('2026-01-05T08:00:00Z');
const SECOND = 1000;
/** One step in so many is followed by a pause. */
const STEPS_BETWEEN = 30;
const SHORTEST_MINUTES = 10;
const LONGEST_MINUTES = 14 * 60;

export function withPauses(scenario: BenchScenario): BenchScenario {
  const random = seeded(scenario.messages.length);
  let now = BEGINS;
  const messages = scenario.messages.map((entry): MessageEntry => {
    now += SECOND;
    // Before messages of people and tools: the model itself never waits.
    if (entry.origin !== 'model' && random() < 1 / STEPS_BETWEEN)
      now += Math.round(SHORTEST_MINUTES + random() * (LONGEST_MINUTES - SHORTEST_MINUTES)) * 60 * SECOND;
    return { ...entry, at: new Date(now).toISOString() };
  });
  return { ...scenario, messages };
}

/** The time of a message: from the scenario, else one second after the last. */
export function timeOf({ at }: MessageEntry, place: number): number {
  return at === undefined ? place * SECOND : Date.parse(at);
}
