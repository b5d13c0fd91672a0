// What every peer evaluates: it waits 50 ms and says yes, and notes how many were waiting at once.
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

let waiting = 0;
let most = 0;

export async function saysYes() {
  waiting += 1;
  if (waiting > most) {
    most = waiting;
    // Written at once: a peer may end its workers without letting them say anything more.
    writeFileSync(process.env.AT_ONCE, String(most));
  }
  await wait(50);
  waiting -= 1;
  return 'yes';
}
