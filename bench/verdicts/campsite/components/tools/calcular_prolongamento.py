"""Diz se cabem mais noites e quanto custam."""

from datetime import date, timedelta

tool = {
    "name": "calcular_prolongamento",
    "description": "Diz se cabem mais noites no lugar de uma reserva, quanto custam e qual seria a nova partida.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["reserva", "noites"],
        "properties": {
            "reserva": {"type": "string"},
            "noites": {"type": "integer", "minimum": 1, "maximum": 21},
        },
    },
    "examples": [{"input": {"reserva": "CB-210", "noites": 3}, "world": "julho.json"}],
}


def run(input, world):
    numero = input["reserva"].strip().upper()
    reserva = world["reservas"].get(numero)
    cliente = world["sessao"]["cliente"]
    if cliente is None:
        return {"ok": False, "error": "ninguém se identificou"}
    if reserva is None or reserva["cliente"] != cliente:
        return {"ok": False, "error": "o cliente não tem essa reserva"}
    if reserva["estado"] not in ("marcada", "chegada"):
        return {"ok": False, "error": "a reserva já não está aberta"}
    lugar = world["lugares"][reserva["lugar"]]
    partida = date.fromisoformat(reserva["partida"])
    livres = (date.fromisoformat(lugar["proxima"]) - partida).days
    noite = lugar["noite_cent"] - (200 if world["clientes"][cliente]["cartao"] else 0)
    total = noite * input["noites"]
    if input["noites"] >= 7:
        total = total * 9 // 10
    return {
        "ok": True,
        "noites": input["noites"],
        "noites_livres": livres,
        "cabe": input["noites"] <= livres,
        "preco_cent": total,
        "nova_partida": (partida + timedelta(days=input["noites"])).isoformat(),
    }
