"""Cancels an appointment, with the fee that the agent names; the slot is free again."""

tool = {
    "name": "cancel_appointment",
    "description": "Cancels an appointment and books the fee, if there is one. The slot is free again and marked as freed.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["appointment_id"],
        "properties": {
            "appointment_id": {"type": "string", "description": "As list_appointments shows it."},
            "fee_cents": {"type": "integer", "minimum": 0, "description": "Left out when there is none."},
        },
    },
    "examples": [
        {"input": {"appointment_id": "A-1106", "fee_cents": 3000}, "world": "base.json"},
        {"input": {"appointment_id": "A-0000"}, "world": "base.json"},
    ],
}


def run(input, world):
    appointment = world["appointments"].get(input["appointment_id"].strip().upper())
    if appointment is None or appointment["state"] != "booked":
        return {"ok": False, "error": f"there is no open appointment {input['appointment_id']}"}
    appointment["fee_cents"] = input["fee_cents"]
    appointment["state"] = "cancelled"
    world["slots"][appointment["slot"]].update(state="free", freed=True)
    return {"ok": True, "freed_slot": appointment["slot"], "fee_cents": appointment["fee_cents"]}
