/**
 * A batch on PostgreSQL while its disk fills, its proxy stalls, a standby takes over and who submits is killed. TANDEM_STORMS=full: ten seeds.
 * Its small sibling in CI: test/slow/chaos.test.ts.
 */
import { postgresStorm } from '../support/postgres-storm.ts';

postgresStorm({
  title: 'a batch in a storm (seed %i) ends as the undisturbed run, and nobody but the killed has gone',
  home: 'folders',
  samples: 8,
  // chaos.test.ts has them.
  leftOut: [
    ...['restart fast', 'restart immediate', 'all sessions ended', 'all statements cancelled', 'sessions hang'],
    'connections forgotten',
  ],
});
