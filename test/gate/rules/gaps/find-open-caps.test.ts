import { expect, test } from 'vitest';
import { findOpenCaps } from '../../../../src/gate/rules/gaps/find-open-caps.ts';
import { Cases } from '../../../../src/scenario/cases/cases.ts';
import { formatOf, rule } from '../../../support/designs.ts';

const cases = Cases.parse({ attributes: { asked: '0..90000' }, outcomes: { paid: ['yes', 'no'] } });
const other = rule('R2', 'An order is read.');
const find = (text: string) =>
  findOpenCaps({ ...formatOf(), cases }, [
    rule('R1', text, { when: { asked: '25001..' }, demands: { paid: 'no' } }),
    other,
  ]);

test('asks what a limit of the table holds for', () => {
  expect(find('Above 250.00 euros nothing is paid.')).toMatchObject([{ name: 'R1' }]);
});

test('asks also where only the sources name what there are several of', () => {
  const rules = [
    rule('R1', 'Above 250.00 euros nothing is paid.', { when: { asked: '25001..' }, demands: { paid: 'no' } }),
  ];
  const design = { ...formatOf(), cases };
  expect(findOpenCaps(design, rules)).toEqual([]);
  expect(findOpenCaps(design, rules, [{ path: 'a.md', text: 'Orders are paid back.' }])).toHaveLength(1);
});

test('is content with a unit of the world, and with an amount that limits nothing', () => {
  expect(find('Above 250.00 euros in one order nothing is paid.')).toEqual([]);
  expect(find('Shipping costs 3.00 euros.')).toEqual([]);
});

test('takes what a source gives the amount for, in whatever language the world is named', () => {
  const findBeside = (text: string) =>
    findOpenCaps(
      { ...formatOf(), cases },
      [rule('R1', text, { when: { asked: '8001..' }, demands: { paid: 'no' } })],
      [{ path: 'a.md', text: 'Höchstens 80 Euro pro Nacht. Der Platz kostet 20 Euro pro Tag.' }],
    );
  expect(findBeside('Über 80 Euro entscheidet der Hafenmeister.')).toMatchObject([{ name: 'R1' }]);
  expect(findBeside('Über 80 Euro je Nacht entscheidet der Hafenmeister.')).toEqual([]);
});

test('asks of an amount at which what is given ends, in a language whose words it does not know', () => {
  const findCap = (text: string, source = '', paid = 'kr_600') =>
    findOpenCaps(
      {
        ...formatOf(),
        cases: Cases.parse({ attributes: { asked: '0..90000' }, outcomes: { paid: ['asked', 'kr_600'] } }),
      },
      [rule('R1', text, { when: { asked: '601..' }, demands: { paid } })],
      [{ path: 'a.md', text: source }],
    ).map(({ name }) => name);
  const source = 'Kørsel koster 4 kroner pr. kilometer, dog højst 600 kroner pr. besøg.';
  expect(findCap('Kørsel koster 4 kroner pr. kilometer, højst 600 kroner.', source)).toEqual(['R1']);
  expect(findCap('Kørsel koster højst 600 kroner.')).toEqual(['R1']);
  expect(findCap('Kørsel koster højst 600 kroner pr. besøg.', source)).toEqual([]);
  expect(findCap('For hvert besøg højst 600 kroner.', source)).toEqual([]);
  expect(findCap('Over 600 kroner spørges der.', source, 'asked')).toEqual([]);
});
