"""Exchanges the slot of an appointment for another free one of the same doctor."""

tool = {
    "name": "move_appointment",
    "description": "Moves an appointment to another free slot of the same doctor; the old slot is free again and marked as freed.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["appointment_id", "slot_id"],
        "properties": {
            "appointment_id": {"type": "string", "description": "As list_appointments shows it."},
            "slot_id": {"type": "string", "description": "The new slot, as list_slots shows it."},
        },
    },
    "examples": [
        {"input": {"appointment_id": "A-0000", "slot_id": "S-1102"}, "world": "base.json"},
        {"input": {"appointment_id": "A-1106", "slot_id": "S-1103"}, "world": "base.json"},
        {"input": {"appointment_id": "A-1106", "slot_id": "S-1202"}, "world": "base.json"},
    ],
}


def run(input, world):
    appointment = world["appointments"].get(input["appointment_id"].strip().upper())
    if appointment is None or appointment["state"] != "booked":
        return {"ok": False, "error": f"there is no open appointment {input['appointment_id']}"}
    slot_id = input["slot_id"].strip().upper()
    slot, old = world["slots"].get(slot_id), world["slots"][appointment["slot"]]
    if slot is None or slot["state"] != "free":
        return {"ok": False, "error": f"{slot_id} is not free"}
    if slot["doctor"] != old["doctor"]:
        return {"ok": False, "error": f"{slot_id} is a slot of another doctor"}
    old.update(state="free", freed=True)
    slot["state"] = "booked"
    appointment["slot"] = slot_id
    doctor = world["doctors"][slot["doctor"]]["name"]
    return {"ok": True, "doctor": doctor, "date": slot["date"], "time": slot["time"]}
