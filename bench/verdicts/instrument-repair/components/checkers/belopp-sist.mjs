/** De sista orden säger varje belopp. */
export const checker = {
  id: 'belopp-sist',
  description: 'De sista orden säger priset som godkändes, summan som betalades och depositionen.',
  rules: ['R12'],
};

export function check({ before, after, final }) {
  if (final.trim() === '') return { pass: false, reason: 'det finns inga sista ord', evidence: [] };
  const hela = final.replace(/(\d)[\s.](?=\d{3}(?!\d))/g, '$1').replaceAll(',', '.');
  const sagda = (hela.match(/\d+(\.\d+)?/g) ?? []).map((ett) => Math.round(Number(ett) * 100));
  const nya = (lista) => after[lista].slice(before[lista].length);
  const betalt = nya('betalningar').reduce((summa, { ore }) => summa + ore, 0);
  const belopp = [
    ...nya('godkannanden').map(({ ore }) => ore),
    ...(betalt > 0 ? [betalt] : []),
    ...nya('utlaningar').map(({ depost_ore: ore }) => ore),
  ];
  const saknas = belopp.filter((ore) => !sagda.includes(ore));
  return {
    pass: saknas.length === 0,
    reason: `${saknas.length} belopp saknas`,
    evidence: saknas.map((ore) => `${ore} öre`),
  };
}
