/** The program of exported samples that need neither a model nor a server. */
import { runWorld } from './run-world.ts';

await runWorld({});
