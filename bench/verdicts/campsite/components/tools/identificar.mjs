/** Compara número de cliente e data de nascimento. */
export const tool = {
  name: 'identificar',
  description: 'Compara número de cliente e data de nascimento (ano-mês-dia), os dois ditos pelo hóspede.',
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['cliente', 'nascimento'],
    properties: { cliente: { type: 'string' }, nascimento: { type: 'string' } },
  },
  examples: [
    { input: { cliente: 'K-11', nascimento: '1984-03-12' }, world: 'julho.json' },
    { input: { cliente: 'K-11', nascimento: '1984-12-03' }, world: 'julho.json' },
  ],
};

export function run(input, world) {
  if (world.sessao.tentativas >= 2) return { confirmado: false, error: 'não há mais tentativas' };
  world.sessao.tentativas += 1;
  const numero = input.cliente.trim().toUpperCase();
  const cliente = world.clientes[numero];
  if (cliente === undefined || cliente.nascimento !== input.nascimento.trim()) {
    return { confirmado: false, tentativas: world.sessao.tentativas };
  }
  world.sessao.cliente = numero;
  return { confirmado: true, nome: cliente.nome, cartao: cliente.cartao };
}
