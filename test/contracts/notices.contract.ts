/** What every channel does that tells people about a gate: the cases of the library, in our own runner. */
import { describe, test } from 'vitest';
import { CONTRACT_NOTICE, CONTRACT_RECIPIENT, noticesCases, type ChannelUnderTest } from './cases/notices-cases.ts';

export { CONTRACT_NOTICE as contractNotice, CONTRACT_RECIPIENT as contractRecipient };
export type { ChannelUnderTest };

/** `takes` says whether the receiver takes what it is sent. */
export function noticesContract(name: string, open: (takes: boolean) => Promise<ChannelUnderTest>): void {
  describe(`${name} keeps the contract of a channel`, () => {
    for (const { title, run } of noticesCases(open)) test(title, run);
  });
}
