/** What our own rules let out, the offline model takes: its rules are written apart, and each must catch the other's mistakes (T5 - T10). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { markForCache, shouldCompact, summaryRequest, view } from '../../src/context/index.ts';
import type { ImageBlock, Message } from '../../src/transcript/message.ts';
import { mapImages } from '../../src/transcript/images.ts';
import { post, TESTER, TOOL, withSimulator } from '../adapters/simulated/wire.ts';
import { compactBy, POLICY_NAMES, shippedPolicy, smallCore } from '../support/policies.ts';
import { cadence } from '../support/transcripts.ts';
import { playWild, wildLog, wildMoves, type WildMove } from '../support/wild-moves.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE: ImageBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const SYSTEM = [{ type: 'text', text: 'tester' }];

/** The API's own block would have to be signed by it, so that policy is not played here. */
const NAMES = POLICY_NAMES.filter((name) => shippedPolicy(name).summary.by !== 'server');

/** As it goes out, less the thinking, whose signatures are nobody's. */
function bodyOf(messages: readonly Message[], passing = 0) {
  const sendable = messages.map((message) => {
    const { role, content } = mapImages(message, () => PICTURE);
    return { role, content: content.filter(({ type }) => !type.endsWith('thinking')) };
  });
  const marked = markForCache({ system: SYSTEM, tools: [TOOL], messages: sendable }, passing);
  return { model: 'claude-opus-5-5', max_tokens: 1000, ...marked };
}

/** Every request that is made on the way: before each compaction, for its summary, and after it. */
function requestsOf(list: readonly WildMove[], every: number, core: ReturnType<typeof smallCore>) {
  const log = wildLog();
  const bodies: ReturnType<typeof bodyOf>[] = [];
  const look = () => {
    const { messages, passing } = view(log.entries);
    bodies.push(bodyOf(messages, passing));
  };
  for (const [place, move] of list.entries()) {
    playWild(log, move, core);
    if (place % every !== every - 1) continue;
    look();
    const { because = 'threshold' } = shouldCompact(log.entries, core);
    const before = [...log.entries];
    const { plan } = compactBy(log, core, place % 2 === 0 ? ['the task stands [#e1]'] : undefined, because);
    const asked = plan.type === 'cut' ? summaryRequest(before, core, plan) : undefined;
    if (asked !== undefined) bodies.push(bodyOf(asked.messages));
    look();
  }
  look();
  return bodies;
}

test.each(NAMES)('%s: whatever was said and done', async (name) => {
  const core = smallCore(name, {}, { model: { systemMessages: true } });
  await withSimulator({ scripts: [TESTER] }, async (simulator) => {
    await fc.assert(
      fc.asyncProperty(wildMoves, cadence, async (list, every) => {
        for (const body of requestsOf(list, every, core)) {
          const got = await post(simulator, body);
          // That its script has no answer is found last, when every rule of the API is kept.
          const taken = got.status === 200 || JSON.stringify(got.body).includes('simulation script: ');
          expect({ taken, said: taken ? '' : JSON.stringify(got.body) }).toEqual({ taken: true, said: '' });
        }
      }),
      { numRuns: 60 },
    );
  });
});
