/** A batch whose runs live in PostgreSQL, while all that happens to workers, submitters and the server happens. TANDEM_STORMS=full: ten seeds. */
import { postgresStorm } from '../support/postgres-storm.ts';

postgresStorm({
  title: 'runs in a store end as on disk, in a storm (seed %i)',
  home: 'store',
  samples: 4,
  leftOut: ['restart fast', 'all statements cancelled', 'sessions hang', 'connections forgotten'],
});
