/** Servers of tools at an address that hang, flood, lure away and lie: each costs its own tools, and nobody else learns what it was given. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openToolServers } from '../../../src/adapters/mcp/open-tool-servers.ts';
import { DEEDS, openHostileAddress, type HostileAddress } from '../../support/hostile-address.ts';

const live = new AbortController().signal;
const [SHORT_MS, LONG_MS] = [1000, 30_000];
const SECRET = 'Bearer of-a-users-own-1234';

/** What each comes to: its tools are offered or not, and a call fails or is harmless. */
const COMES_TO: Record<string, { offers?: boolean; fails?: boolean; says?: RegExp; answers?: RegExp }> = {
  good: { fails: false, answers: /^fine$/ },
  silent: { offers: false },
  'slow-head': { offers: false },
  'endless-head': { offers: false },
  'no-http': { offers: false },
  'ends-at-once': { offers: false },
  'web-page': { offers: false, says: /content type/ },
  'error-page': { offers: false },
  'wants-a-sign-in': { offers: false },
  'wants-more-rights': { offers: false },
  'sends-elsewhere-301': { offers: false, says: /redirect/i },
  'sends-elsewhere-307': { offers: false, says: /redirect/i },
  'sends-elsewhere-308': { offers: false, says: /redirect/i },
  'sends-in-circles': { offers: false },
  'sends-to-a-file': { offers: false },
  'sends-a-call-elsewhere': { fails: true },
  'hangs-when-begun': { offers: false },
  'accepted-without-end': { offers: false },
  'list-hangs': { offers: false },
  'list-drips': { offers: false },
  'list-for-ever': { offers: false },
  'list-lies': { offers: false },
  'schema-bomb': { offers: false },
  'get-ends-and-ends': { fails: false },
  'get-floods': { fails: false },
  'get-hangs': { fails: false },
  'session-ends': { fails: true, answers: /no such session/ },
  'session-changes': { fails: false },
  'answers-in-events': { fails: false, answers: /^whole$/ },
  polluted: { fails: false },
  ansi: { fails: false },
  injection: { fails: false },
  'says-what-it-was-given': { fails: false, answers: /^you are \[/ },
  'many-parts': { fails: false },
};

let elsewhere: HostileAddress;
beforeAll(async () => {
  elsewhere = await openHostileAddress('good');
});
afterAll(() => elsewhere.close());

test.concurrent.each(Object.keys(DEEDS))(
  '%s',
  async (deed) => {
    const { offers = true, fails = true, says, answers } = COMES_TO[deed] ?? {};
    const address = await openHostileAddress(deed, elsewhere.url);
    const setup = {
      ...{ name: 'web', url: `${address.url}/mcp`, headers: { Authorization: SECRET, 'X-Key': SECRET } },
      // What has to come has time on a busy machine.
      startMs: offers || says !== undefined ? LONG_MS : SHORT_MS,
      callMs: fails && answers === undefined ? SHORT_MS : LONG_MS,
      maxChars: 60_000,
      redact: (text: string) => text.replaceAll(SECRET, '[WEB_TOKEN]'),
    };
    const open = await openToolServers([setup]).open(['web'], live);
    const [offered] = open.offered;
    expect((offered?.definitions.length ?? 0) > 0, offered?.problems.join()).toBe(offers);
    const name = open.host.definitions[0]?.name ?? 'mcp__web__look_up';
    const answer = await open.host.call(name, { word: 'x' }, live);
    expect(answer.is_error, answer.content.slice(0, 300)).toBe(offers ? fails : true);
    const all = [...(offered?.problems ?? []), JSON.stringify(offered?.definitions), answer.content].join('\n');
    // oxlint-disable-next-line no-control-regex -- this is what must not be there
    expect(all).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202e]/);
    expect(all).not.toContain(SECRET);
    expect(answer.content.length).toBeLessThanOrEqual(60_000);
    expect(Object.prototype).not.toHaveProperty('polluted');
    if (says !== undefined) expect(all).toMatch(says);
    if (answers !== undefined) expect(answer.content).toMatch(answers);
    // It is asked for nothing again and again, and nobody listens to what nobody asked for.
    expect(address.heard.length).toBeLessThan(40);
    if (deed.startsWith('get-')) expect(address.heard).not.toContain('GET');
    // One that has forgotten who speaks is begun with anew at the next call.
    if (deed === 'session-ends')
      expect(await open.host.call(name, { word: 'x' }, live)).toMatchObject({ content: 'fine' });
    await open.close();
    await address.alone();
    await address.close();
  },
  60_000,
);

test('whoever it sends its caller to hears nothing', () => {
  expect(elsewhere.heard).toEqual([]);
});
