/** A 429 of the provider holds back the calls of a whole run; `every-door.test.ts` has the configured limits. */
import { afterEach, expect, test } from 'vitest';
import { openApp, type App } from '../../src/app/open-app.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadScenario } from '../../src/config/load-scenario.ts';
import { approveAll, begin, live, makeProject, type Project } from '../support/project.ts';

let project: Project;
let app: App;
afterEach(async () => {
  await app.close();
  await project.remove();
});

async function runOnce() {
  const home = findHome(project.dir);
  const config = await loadConfig(home, {
    flags: {
      retry: { min_delay_ms: 1, max_delay_ms: 2 },
      simulator: { latency_ms: 5 },
    },
  });
  const scenario = await loadScenario(home, 'small-desk');
  const notices: string[] = [];
  const calls: { from: number; to: number }[] = [];
  app = await openApp({
    ...{ home, config, env: {}, scenario, signal: live },
    progress: (event) => {
      if (event.type === 'wait') notices.push(`${event.what} waits: ${event.reason}`);
    },
    // Inside the limits, so that what is seen here has passed them.
    around: (model) => ({
      ...model,
      call: async (request, signal, terms) => {
        const from = performance.now();
        const response = await model.call(request, signal, terms);
        calls.push({ from, to: performance.now() });
        return response;
      },
    }),
  });
  const run = await begin(project, app);
  const state = await approveAll(app, run.id);
  return { state, notices, calls };
}

test('a 429 of the provider holds every call of its model back for as long as it asked', async () => {
  project = await makeProject();
  await project.edit('simulation/subject.yaml', 'turns:', 'faults: [{ at: 12, kind: "429" }]\nturns:');
  const { state, calls, notices } = await runOnce();
  expect(state.status).toBe('succeeded');
  const [refused = { from: 0, to: 0 }] = calls.toSorted((one, other) => other.to - other.from - (one.to - one.from));
  expect(refused.to - refused.from).toBeGreaterThan(900);
  // The offline model asks for one second; what was under way ends, and nothing begins. On a slow machine the refusal comes
  // late and the next try takes long, so that only the middle is sure to be within the pause.
  const middle = (refused.from + refused.to) / 2;
  const during = calls.filter(({ from }) => Math.abs(from - middle) < 250);
  expect(during).toEqual([]);
  expect(notices.filter((line) => line.includes('asked for a pause'))).toHaveLength(1);
});
