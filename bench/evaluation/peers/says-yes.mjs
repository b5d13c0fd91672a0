// What every peer evaluates: it waits 50 ms and says yes, and notes how many were waiting at once.
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

let waiting = 0;
let most = 0;

/** With SUBJECT_URL it is an endpoint that waits. */
async function answer() {
  const url = process.env.SUBJECT_URL;
  if (url !== undefined) return (await (await fetch(url, { method: 'POST', body: '{}' })).json()).say;
  await wait(50);
  return 'yes';
}

export async function saysYes() {
  waiting += 1;
  if (waiting > most) {
    most = waiting;
    // Written at once: a peer may end its workers without letting them say anything more.
    writeFileSync(process.env.AT_ONCE, String(most));
  }
  const said = await answer();
  waiting -= 1;
  return said;
}
