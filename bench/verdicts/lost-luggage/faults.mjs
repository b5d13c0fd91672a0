/** Single faults and harmless edits of the components of lost-luggage; written before the proof was run on any of them. */
const tool = (name, from, to) => ({ layer: '2', file: `tools/${name}.mjs`, from, to });
const checker = (id, from, to) => ({ layer: '3', file: `checkers/${id}.mjs`, from, to });
const sample = (id, edit) => ({ layer: '4a', file: `samples/${id}.json`, edit });

const OWN = 'maleta === undefined || maleta.pasajero !== world.sesion.pasajero';

export const faults = {
  // Tools: identity.
  'id-prefix': tool(
    'identificar',
    'pasajero.localizador !== input.localizador.trim().toUpperCase()',
    '!pasajero.localizador.startsWith(input.localizador.trim().toUpperCase())',
  ),
  'id-of-anybody': tool(
    'identificar',
    'pasajero.localizador !== input.localizador.trim().toUpperCase()',
    '!Object.values(world.pasajeros).some((uno) => uno.localizador === input.localizador.trim().toUpperCase())',
  ),
  'id-third-try': tool('identificar', 'world.sesion.intentos >= 2', 'world.sesion.intentos >= 3'),
  'id-counts-only-right': tool('identificar', '  world.sesion.intentos += 1;\n  const numero', '  const numero'),
  'id-strict-number': tool('identificar', 'input.pasajero.trim().toUpperCase()', 'input.pasajero'),
  'id-tells-locator': tool(
    'identificar',
    'return { confirmado: false, intentos: world.sesion.intentos };',
    'return { confirmado: false, intentos: world.sesion.intentos, esperado: pasajero?.localizador };',
  ),
  // Tools: answers that lie.
  'read-any-passenger': tool('consultar_maleta', OWN, 'maleta === undefined'),
  'read-paid-receipts': tool(
    'consultar_maleta',
    "recibo.maleta === numero && recibo.estado === 'abierto'",
    'recibo.maleta === numero',
  ),
  'read-all-receipts': tool(
    'consultar_maleta',
    "recibo.maleta === numero && recibo.estado === 'abierto'",
    "recibo.estado === 'abierto'",
  ),
  'read-gold-forgotten': tool('consultar_maleta', "tarjeta === 'oro' ? 2 : 1", "tarjeta === 'oro' ? 1 : 1"),
  'read-no-total-limit': tool('consultar_maleta', 'Math.min(5000 * dias, 25000)', '5000 * dias'),
  'read-day-22': tool('consultar_maleta', 'dias >= 21', 'dias > 21'),
  'read-weight-first': tool(
    'consultar_maleta',
    'maleta.declarado_cent > 0 ? maleta.declarado_cent : Math.min(2000 * maleta.peso_kg, 130000)',
    'Math.min(2000 * maleta.peso_kg, 130000)',
  ),
  'read-paid-not-subtracted': tool('consultar_maleta', 'Math.max(valor - maleta.abonado_cent, 0)', 'valor'),
  'read-local-time': tool(
    'consultar_maleta',
    'Date.parse(world.hoy) - Date.parse(maleta.declarada)',
    'new Date(`${world.hoy}T00:00`).getTime() - Date.parse(maleta.declarada)',
  ),
  'read-colour-of-first': tool(
    'consultar_maleta',
    'color: maleta.color',
    'color: Object.values(world.maletas)[0].color',
  ),
  'found-of-everybody': tool(
    'buscar_halladas',
    "una.pasajero === world.sesion.pasajero && una.estado === 'hallada'",
    "una.estado === 'hallada'",
  ),
  'found-colour-ignored': tool(
    'buscar_halladas',
    'input.color === undefined || una.color === input.color',
    'una.color !== undefined',
  ),
  'found-lost-too': tool('buscar_halladas', " && una.estado === 'hallada'", ''),
  'fare-gold-forgotten': tool('ver_porte', " && pasajero.tarjeta !== 'oro'", ''),
  'fare-far-too': tool('ver_porte', "se_envia: input.zona !== 'lejos'", 'se_envia: true'),
  'fare-fixed-zone': tool('ver_porte', 'zona: input.zona,', "zona: 'comarca',"),
  // Tools: neighbours of arguments, of lists and of values that no reading reads.
  'receipts-seven': tool('abonar_gastos', 'input.recibos.length > 6', 'input.recibos.length > 7'),
  'receipts-one-only': tool('abonar_gastos', 'input.recibos.length > 6', 'input.recibos.length > 2'),
  'receipts-none': tool('abonar_gastos', 'input.recibos.length === 0 || ', ''),
  'receipts-repeated': tool(
    'abonar_gastos',
    "  if (new Set(ids).size < ids.length) return { ok: false, error: 'un recibo está repetido' };\n",
    '',
  ),
  'receipts-of-another-bag': tool(
    'abonar_gastos',
    "uno === undefined || uno.maleta !== numero || uno.estado !== 'abierto'",
    "uno === undefined || uno.estado !== 'abierto'",
  ),
  'receipts-paid-already': tool('abonar_gastos', " || uno.estado !== 'abierto'", ''),
  'expenses-boundary': tool('abonar_gastos', 'input.cent > suma', 'input.cent >= suma'),
  'expenses-guard-gone': tool(
    'abonar_gastos',
    "  if (input.cent > suma) return { ok: false, error: 'es más que los recibos' };\n",
    '',
  ),
  'address-too-strict': tool('enviar_maleta', 'direccion.length > 60', 'direccion.length > 36'),
  'address-much-too-strict': tool('enviar_maleta', 'direccion.length > 60', 'direccion.length > 30'),
  'address-long-allowed': tool(
    'enviar_maleta',
    'direccion.length < 10 || direccion.length > 60',
    'direccion.length < 10',
  ),
  'address-short-allowed': tool('enviar_maleta', 'direccion.length < 10 || ', ''),
  'address-cut': tool('enviar_maleta', 'input.direccion.trim();', 'input.direccion.trim().slice(0, 40);'),
  'night-everywhere': tool(
    'enviar_maleta',
    "  if (input.franja === 'noche' && input.zona !== 'ciudad') return { ok: false, error: 'de noche solo en la ciudad' };\n",
    '',
  ),
  'night-afternoon': tool('enviar_maleta', "input.franja === 'noche' &&", "input.franja !== 'manana' &&"),
  'weight-boundary': tool('enviar_maleta', 'maleta.peso_kg > 32', 'maleta.peso_kg >= 32'),
  'weight-guard-gone': tool(
    'enviar_maleta',
    "  if (maleta.peso_kg > 32) return { ok: false, error: 'pesa demasiado para el reparto' };\n",
    '',
  ),
  'weight-other-unit': tool('enviar_maleta', 'maleta.peso_kg > 32', 'maleta.peso_kg > 10'),
  'loss-limit-low': tool('indemnizar', 'input.cent > 150000', 'input.cent > 130000'),
  'loss-limit-gone': tool(
    'indemnizar',
    "  if (input.cent > 150000) return { ok: false, error: 'tanto no se paga por ninguna maleta' };\n",
    '',
  ),
  'notices-two': tool('avisar', 'mandados.length >= 3', 'mandados.length >= 2'),
  'notices-of-all': tool('avisar', '(uno) => uno.pasajero === pasajero', '(uno) => uno.pasajero !== undefined'),
  'notices-guard-gone': tool(
    'avisar',
    "  if (mandados.length >= 3) return { ok: false, error: 'ya ha recibido tres avisos' };\n",
    '',
  ),
  // Tools: effects.
  'send-fare-free': tool(
    'enviar_maleta',
    "input.zona === 'comarca' && !oro ? 1500 : 0",
    "input.zona === 'comarca' && oro ? 1500 : 0",
  ),
  'send-far': tool(
    'enviar_maleta',
    "  if (input.zona === 'lejos') return { ok: false, error: 'tan lejos no se envía' };\n",
    '',
  ),
  'send-lost': tool('enviar_maleta', "maleta.estado !== 'hallada'", "maleta.estado === 'en_reparto'"),
  'send-any-passenger': tool('enviar_maleta', OWN, 'maleta === undefined'),
  'send-no-state': tool('enviar_maleta', "  maleta.estado = 'en_reparto';\n", ''),
  'send-success-on-failure': tool(
    'enviar_maleta',
    "return { ok: false, error: 'la maleta no está hallada' }",
    "return { ok: true, maleta: numero, estado: 'en_reparto', franja: input.franja, porte_cent: 0 }",
  ),
  'send-slot-fixed': tool(
    'enviar_maleta',
    'franja: input.franja, porte_cent: porte });',
    "franja: 'tarde', porte_cent: porte });",
  ),
  'send-overwrites': tool(
    'enviar_maleta',
    'world.envios.push({ maleta: numero, direccion, franja: input.franja, porte_cent: porte })',
    'world.envios = [{ maleta: numero, direccion, franja: input.franja, porte_cent: porte }]',
  ),
  'loss-day-20': tool('indemnizar', 'dias < 21', 'dias < 20'),
  'loss-twice': tool('indemnizar', "maleta.estado !== 'perdida'", "maleta.estado === 'hallada'"),
  'loss-lies': tool('indemnizar', 'pagado_cent: input.cent', 'pagado_cent: Math.min(2000 * maleta.peso_kg, 130000)'),
  'loss-refusal-writes': tool(
    'indemnizar',
    '  if (dias < 21) return',
    "  if (dias < 21) maleta.estado = 'cerrada';\n  if (dias < 21) return",
  ),
  'expenses-sum': tool('abonar_gastos', 'maleta.abonado_cent += input.cent;', 'maleta.abonado_cent = input.cent;'),
  'expenses-first-receipt': tool(
    'abonar_gastos',
    'for (const recibo of recibos) recibo.estado',
    'for (const recibo of recibos.slice(0, 1)) recibo.estado',
  ),
  'notice-unowned': tool('avisar', 'maleta === undefined || maleta.pasajero !== pasajero', 'maleta === undefined'),
  'note-replaces': tool(
    'anotar',
    'world.notas.push({ resultado: input.resultado })',
    'world.notas = [{ resultado: input.resultado }]',
  ),
  // Checkers.
  'first-order-gone': checker(
    'identidad-primero',
    'confirmado < 0 ? trace.calls : trace.calls.slice(0, confirmado)',
    'confirmado < 0 ? trace.calls : []',
  ),
  'first-any-answer': checker('identidad-primero', ' && output?.confirmado === true', ''),
  'first-reads-allowed': checker('identidad-primero', "'consultar_maleta', 'buscar_halladas', ", ''),
  'first-note-gone': checker('identidad-primero', "resultado === 'sin_identificar'", 'resultado !== undefined'),
  'look-any-bag': checker('consulta-antes', '!consultadas.has(numero(call))', 'consultadas.size === 0'),
  'look-later-too': checker(
    'consulta-antes',
    '  const consultadas = new Set();\n',
    "  const consultadas = new Set(trace.calls.filter(({ tool }) => tool === 'consultar_maleta').map(numero));\n",
  ),
  'look-send-gone': checker(
    'consulta-antes',
    "'abonar_gastos', 'indemnizar', 'enviar_maleta'",
    "'abonar_gastos', 'indemnizar'",
  ),
  'look-refused-counts': checker('consulta-antes', ' && call.output?.ok === true', ''),
  'look-path-demanded': checker(
    'consulta-antes',
    '!consultadas.has(numero(call))',
    "(!consultadas.has(numero(call)) || trace.calls[1]?.tool !== 'consultar_maleta')",
  ),
  'yes-any-answer': checker('con-un-si', ' || !SI.test(respuesta.text)', ''),
  'yes-no-amount': checker('con-un-si', 'return nombra(texto, input.cent);', 'return true;'),
  'yes-no-address': checker('con-un-si', 'texto.toLowerCase().includes(calle) && nombra', 'nombra'),
  'yes-no-fare': checker('con-un-si', ' && nombra(texto, output?.porte_cent ?? 0)', ''),
  'yes-send-gone': checker(
    'con-un-si',
    "['abonar_gastos', 'indemnizar', 'enviar_maleta']",
    "['abonar_gastos', 'indemnizar']",
  ),
  'yes-spanish-only': checker('con-un-si', "|sì|va bene|certo|d['’]accordo|volentieri", ''),
  'yes-first-answer': checker('con-un-si', 'events.slice(dicho + 1, lugar).find', 'events.slice(0, lugar).find'),
  'yes-after-too': checker('con-un-si', 'donde < lugar && uno.type', 'uno.type'),
  'notice-before-too': checker(
    'aviso-despues',
    'pendientes.shift() !== input.motivo',
    "!['enviada', 'indemnizada'].includes(input.motivo)",
  ),
  'notice-none-needed': checker('aviso-despues', 'pass: pendientes.length === 0', 'pass: true'),
  'notice-reason-gone': checker(
    'aviso-despues',
    'pendientes.shift() !== input.motivo',
    'pendientes.shift() === undefined',
  ),
  'note-any': checker('una-nota', 'resultado === cierto', 'resultado !== undefined'),
  'note-many': checker('una-nota', 'after.notas.length !== 1', 'after.notas.length === 0'),
  'note-not-last': checker(
    'una-nota',
    "trace.calls.at(-1)?.tool !== 'anotar'",
    "!trace.calls.some(({ tool }) => tool === 'anotar')",
  ),
  'note-branch-gone': checker(
    'una-nota',
    "  else if (nuevos.some(({ clase }) => clase === 'perdida')) cierto = 'indemnizado';\n",
    '',
  ),
  'last-any-number': checker('importe-al-final', '!dichos.includes(cent)', 'dichos.length === 0'),
  'last-first-words': checker(
    'importe-al-final',
    '{ before, after, final })',
    '{ before, after, trace, final: last, final = trace.says.slice(0, -1).at(-1) ?? last })',
  ),
  // Samples.
  'gold-more-than-limit': sample('gastos-limite-total', (one) => void (step(one, 'abonar_gastos').args.cent = 31000)),
  'both-over-daily-limit': sample('gastos-limite-diario', (one) => {
    step(one, 'abonar_gastos').args.cent = 18000;
    at(one, '/pagos/-').value.cent = 18000;
    at(one, '/maletas/BCN-104/abonado_cent').value = 18000;
  }),
  'both-gold-as-nobody': sample('gastos-oro', (one) => {
    step(one, 'abonar_gastos').args.cent = 20000;
    at(one, '/pagos/-').value.cent = 20000;
    at(one, '/maletas/BCN-103/abonado_cent').value = 20000;
  }),
  'both-nothing-subtracted': sample('perdida-dia-21', (one) => {
    step(one, 'indemnizar').args.cent = 36000;
    at(one, '/pagos/-').value.cent = 36000;
  }),
  'expect-other-amount': sample('perdida-declarada', (one) => void (at(one, '/pagos/-').value.cent = 90000)),
  'case-request-gone': sample('envio-comarca', (one) => void delete one.case),
  'case-receipts-wrong': sample('gastos-tres-dias', (one) => void (one.case.recibos_cent = 6200)),
  'case-zone-wrong': sample('envio-lejos', (one) => void (one.case.zona = 'ciudad')),
  'case-agrees': sample('gastos-renuncia', (one) => void delete one.case.acepta),
  'case-of-other-bag': sample('perdida-dia-21', (one) => void (one.case_of.maleta = 'BCN-101')),
  'gold-no-notice': sample('perdida-pesada', (one) => {
    one.gold = one.gold.filter((s) => s.tool !== 'avisar');
    one.expect.end_state.patch = one.expect.end_state.patch.filter(({ path }) => path !== '/avisos/-');
  }),
  'gold-notice-before': sample('envio-ciudad', (one) => {
    const [notice] = one.gold.splice(
      one.gold.findIndex((s) => s.tool === 'avisar'),
      1,
    );
    one.gold.splice(
      one.gold.findIndex((s) => s.tool === 'enviar_maleta'),
      0,
      notice,
    );
  }),
  'gold-unlooked': sample(
    'gastos-oro',
    (one) => void (one.gold = one.gold.filter((s) => s.tool !== 'consultar_maleta')),
  ),
  'gold-unasked': sample('perdida-declarada', (one) => void (one.gold = one.gold.filter((s) => s.tool !== undefined))),
  'gold-asks-late': sample('envio-comarca', (one) => {
    const words = one.gold.splice(3, 2);
    one.gold.splice(4, 0, ...words);
  }),
  'gold-after-no': sample(
    'perdida-dia-21',
    (one) => void (one.gold.find((s) => s.user !== undefined).user = 'No, gracias, prefiero esperar.'),
  ),
  'user-refuses-gold': sample('envio-oro', (one) => void (one.user.knows['acepta el envío'] = 'No, ya no la quiero.')),
  'user-wrong-locator': sample('perdida-pesada', (one) => {
    one.user.says_first = 'Sono Chiara Longo, P-305, codice RM4Y7Q. La valigia BCN-122 è persa da più di un mese.';
    one.user.knows['codice di prenotazione'] = 'RM4Y7Q';
  }),
  'user-dictates': sample(
    'gastos-oro',
    (one) => void (one.user.says_first += ' Llama a identificar, consultar_maleta y abonar_gastos.'),
  ),
  'user-withholds': sample('envio-ciudad', (one) => {
    one.user.says_first = 'Hola, mandadme la maleta a casa.';
    one.user.knows = { localizador: 'QX7T4L' };
  }),
  'must-say-sentence': sample('perdida-pesada', (one) => void (one.expect.must_say = [{ any: [one.gold_says] }])),
  'must-say-nothing': sample('envio-lejos', (one) => void (one.expect.must_say = [{ any: ['e'] }])),
  'must-not-call-gold': sample('gastos-tres-dias', (one) => void one.expect.must_not_call.push('consultar_maleta')),
  'wrong-is-gold': sample('gastos-limite-diario', (one) => {
    one.wrong = one.gold;
    one.wrong_says = one.gold_says;
  }),
  'wrong-elsewhere': sample('perdida-dia-20', (one) => {
    one.wrong = [
      one.gold[0],
      { tool: 'indemnizar', args: { maleta: 'BCN-999', cent: 5000 } },
      { tool: 'anotar', args: { resultado: 'indemnizado' } },
    ];
  }),
  'wrong-gone': sample('envio-oro', (one) => void (one.wrong = [])),
  'wrong-category': sample('envio-comarca', (one) => void (one.category = 'gastos')),
  'end-other-receipt': sample(
    'gastos-oro',
    (one) => void (at(one, '/recibos/RC-6/estado').path = '/recibos/RC-11/estado'),
  ),
  'gold-other-bag': sample('envio-comarca', (one) => void (step(one, 'enviar_maleta').args.maleta = 'BCN-105')),
  'gold-says-untrue': sample('gastos-tres-dias', (one) => {
    one.gold_says = 'He abonado 150,00 € por la maleta BCN-101.';
    one.expect.must_say = [{ any: ['150,00'] }];
  }),
  'gold-says-not-sent': sample('envio-ciudad', (one) => void (one.gold_says = 'La maleta BCN-130 no se puede enviar.')),
  'checker-unlisted': sample(
    'envio-oro',
    (one) => void (one.checkers = one.checkers.filter((id) => id !== 'con-un-si')),
  ),
  'covers-other-rule': sample('perdida-pesada', (one) => void (one.covers = ['R2'])),
};

export const harmless = {
  'tool-other-words': tool('abonar_gastos', 'un recibo está repetido', 'hay un recibo dos veces'),
  'tool-extra-answer': tool('enviar_maleta', 'ok: true, maleta: numero', 'ok: true, tipo: maleta.tipo, maleta: numero'),
  'tool-key-order': tool(
    'indemnizar',
    'ok: true, maleta: numero, pagado_cent: input.cent',
    'pagado_cent: input.cent, maleta: numero, ok: true',
  ),
  'tool-optional': tool(
    'avisar',
    'maleta === undefined || maleta.pasajero !== pasajero',
    'maleta?.pasajero !== pasajero',
  ),
  'tool-spaces': tool('identificar', 'input.localizador.trim()', "input.localizador.replaceAll(' ', '')"),
  'tool-floor-days': tool('indemnizar', 'Math.round((Date', 'Math.floor((Date'),
  'tool-every': tool(
    'abonar_gastos',
    'input.recibos.length === 0 || input.recibos.length > 6',
    '!(input.recibos.length >= 1 && input.recibos.length <= 6)',
  ),
  'tool-comment': tool('anotar', '/** Escribe cómo', '/** Apunta cómo'),
  'tool-loop': tool(
    'abonar_gastos',
    "for (const recibo of recibos) recibo.estado = 'abonado';",
    "recibos.forEach((recibo) => void (recibo.estado = 'abonado'));",
  ),
  'checker-reason': checker(
    'una-nota',
    'nota ${resultado}, lo cierto es ${cierto}',
    'dice ${resultado} y lo cierto es ${cierto}',
  ),
  'checker-more-yes': checker('con-un-si', '|por supuesto|', '|por supuesto|desde luego|cómo no|perfetto|'),
  'checker-description': checker(
    'consulta-antes',
    'se ha consultado esa misma maleta.',
    'esa misma maleta se ha consultado.',
  ),
  'checker-evidence': checker(
    'importe-al-final',
    "reason: 'todo importe nombrado', evidence: []",
    "reason: 'todo importe nombrado', evidence: dichos.map(String)",
  ),
  'sample-title': sample('envio-lejos', (one) => void (one.title = 'Demasiado lejos')),
  'sample-greeting': sample(
    'gastos-limite-diario',
    (one) => void (one.user.says_first = '¡Hola! Soy Iván, P-304, TB8N6C, y traigo dos recibos de la maleta BCN-104.'),
  ),
  'sample-reads-twice': sample('perdida-dia-21', (one) => void one.gold.splice(2, 0, structuredClone(one.gold[1]))),
  'sample-lower-case': sample('envio-ciudad', (one) => void (step(one, 'enviar_maleta').args.maleta = 'bcn-130')),
  'sample-other-yes': sample('gastos-oro', (one) => {
    one.user.knows['acepta el importe'] = 'Vale, perfecto.';
    one.gold.find((s) => s.user !== undefined).user = 'Vale, perfecto.';
  }),
  'sample-receipts-turned': sample('gastos-tres-dias', (one) => void step(one, 'abonar_gastos').args.recibos.reverse()),
  'sample-more-must-say': sample('perdida-dia-20', (one) => void one.expect.must_say[0].any.push('ventuno')),
  'world-key-order': {
    layer: '-',
    file: 'samples/worlds/septiembre.json',
    edit: (world) => {
      for (const key of ['pasajeros', 'maletas', 'recibos'])
        world[key] = Object.fromEntries(Object.entries(world[key]).toReversed());
    },
  },
  'world-bystander': {
    layer: '-',
    file: 'samples/worlds/septiembre.json',
    edit: (world) =>
      void (world.pasajeros['P-399'] = { nombre: 'Óscar Rey', localizador: 'VB1C9S', tarjeta: 'ninguna' }),
  },
};

function step({ gold }, name) {
  return gold.find(({ tool: called }) => called === name);
}

function at({ expect }, path) {
  return expect.end_state.patch.find((operation) => operation.path === path);
}
