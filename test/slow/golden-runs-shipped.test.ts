/** Open runs of a shipped scenario of an earlier week end as they would have: they are judged by the rules that they began with. */
import { testShippedRuns } from '../support/golden-shipped.ts';

testShippedRuns('november-20-refund-desk');
