"""Fecha a conta de quem parte: luz, danos e caução."""

from datetime import date

tool = {
    "name": "fechar_conta",
    "description": "Fecha a conta de uma estadia nos dois dias antes da partida ou depois: cobra luz e danos e devolve "
    "o resto da caução. Em numerário devolve 100,00 euros no máximo.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["reserva", "metodo"],
        "properties": {
            "reserva": {"type": "string"},
            "metodo": {"type": "string", "enum": ["cartao", "numerario", "transferencia"]},
        },
    },
    "examples": [{"input": {"reserva": "CB-220", "metodo": "cartao"}, "world": "julho.json"}],
}

KWH_CENT = 45
KWH_POR_NOITE = 4


def run(input, world):
    numero = input["reserva"].strip().upper()
    reserva = world["reservas"].get(numero)
    cliente = world["sessao"]["cliente"]
    if cliente is None:
        return {"ok": False, "error": "ninguém se identificou"}
    if reserva is None or reserva["cliente"] != cliente:
        return {"ok": False, "error": "o cliente não tem essa reserva"}
    if reserva["estado"] != "chegada":
        return {"ok": False, "error": "ninguém está nesse lugar com essa reserva"}
    partida = date.fromisoformat(reserva["partida"])
    if (partida - date.fromisoformat(world["hoje"])).days > 2:
        return {"ok": False, "error": "ainda é cedo para fechar a conta"}
    noites = (partida - date.fromisoformat(reserva["chegada"])).days
    luz = max(KWH_CENT * (reserva["kwh"] - KWH_POR_NOITE * noites), 0)
    if world["lugares"][reserva["lugar"]]["tipo"] == "bungalow":
        luz = 0
    danos = reserva["danos_cent"]
    resto = max(reserva["caucao_cent"] - danos - luz, 0)
    if input["metodo"] == "numerario" and resto > 10000:
        return {"ok": False, "error": "em numerário só até 100,00 euros"}
    reserva["estado"] = "saida"
    for tipo, cent in (("luz", luz), ("danos", danos)):
        if cent > 0:
            world["contas"].append({"reserva": numero, "tipo": tipo, "cent": cent})
    if resto > 0:
        world["caucoes"].append({"reserva": numero, "metodo": input["metodo"], "cent": resto})
    return {"ok": True, "reserva": numero, "luz_cent": luz, "danos_cent": danos, "devolvido_cent": resto}
