/** Finds what an earlier proof caught and this one does not, for unchanged samples and components only. */
import type { Finding, ProofStrength } from '../../../scenario/proof-strength.ts';
import { mustPass, type PlayKind } from './plays/play.ts';

export function findRegressions(now: ProofStrength, before: ProofStrength): Finding[] {
  const lost = Object.entries(now.verdicts ?? {}).flatMap(([sample, verdicts]) => {
    const earlier = before.verdicts?.[sample];
    return earlier?.digest === verdicts.digest ? changesIn(sample, verdicts, earlier) : [];
  });
  return [...groupedByJudge(lost), ...newSurvivors(now, before)];
}

type SampleVerdicts = NonNullable<ProofStrength['verdicts']>[string];

type VerdictChange = { sample: string; play: string; judge: string; isFair: boolean };

/** Lists the verdicts of each judge that got worse since the earlier proof. */
function changesIn(sample: string, now: SampleVerdicts, before: SampleVerdicts): VerdictChange[] {
  const judges = Object.keys(now.refusedBy).filter((judge) => before.refusedBy[judge] !== undefined);
  return now.plays.flatMap((play, index) => {
    const earlier = before.plays.indexOf(play);
    const isFair = mustPass({ kind: play.split(' ')[0] as PlayKind });
    if (earlier === -1) return [];
    return judges
      .filter((judge) => {
        const refused = [before.refusedBy[judge]?.[earlier], now.refusedBy[judge]?.[index]].map((mark) => mark === 'x');
        return isFair ? refused[0] === false && refused[1] === true : refused[0] === true && refused[1] === false;
      })
      .map((judge) => ({ sample, play, judge, isFair }));
  });
}

function groupedByJudge(changes: readonly VerdictChange[]): Finding[] {
  const alike = Map.groupBy(changes, ({ judge, isFair }) => `${judge} ${isFair}`);
  return [...alike.values()].flatMap((own): Finding[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { judge, sample, play, isFair } = first;
    const rest = own.length > 1 ? ` and ${own.length - 1} more` : '';
    const what = isFair ? 'refuses what it accepted before, and what is right' : 'accepts what it refused before';
    const component = judge === 'expect' ? sample : judge;
    const message = `${judge} ${what}: ${play} in ${sample}${rest}`;
    return [{ code: isFair ? 'refused-now' : 'caught-before', component, message }];
  });
}

/** Mutants of a component that did not change: a sample that showed the difference is gone, or shows it no more. */
function newSurvivors(now: ProofStrength, before: ProofStrength): Finding[] {
  const known = new Set(before.survivors.map(({ message }) => message));
  return now.survivors
    .filter(({ place, message }) => {
      const path = place.split(':')[0] ?? place;
      const digest = now.components?.[path];
      return digest !== undefined && digest === before.components?.[path] && !known.has(message);
    })
    .map(({ component, message }) => ({
      code: 'caught-before',
      component,
      message: `caught before, and survives now: ${message}`,
    }));
}
