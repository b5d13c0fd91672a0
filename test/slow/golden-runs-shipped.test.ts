/**
 * Open runs of a shipped scenario of an earlier week end as they would have: they are judged by the rules that they began with.
 * One is in a design that waits, one in an iteration; the one in the middle of a design is brought to its end at night.
 */
import { testShippedRuns } from '../support/golden-shipped.ts';

testShippedRuns('november-20-refund-desk', ['waiting-r1', 'mid-iteration']);
