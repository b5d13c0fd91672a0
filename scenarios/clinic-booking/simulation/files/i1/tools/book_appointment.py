"""Makes an appointment in a free slot. Refuses what cannot be booked, not what should not be."""

tool = {
    "name": "book_appointment",
    "description": "Books a free slot for a patient, as routine or as urgent. Answers with doctor, day and time.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["patient_id", "slot_id", "urgency"],
        "properties": {
            "patient_id": {"type": "string"},
            "slot_id": {"type": "string", "description": "As list_slots shows it. For example S-1102."},
            "urgency": {"type": "string", "enum": ["routine", "urgent"]},
        },
    },
    "examples": [
        {"input": {"patient_id": "P-101", "slot_id": "S-1102", "urgency": "routine"}, "world": "base.json"},
        {"input": {"patient_id": "P-101", "slot_id": "S-0000", "urgency": "urgent"}, "world": "base.json"},
    ],
}


def run(input, world):
    patient_id, slot_id = input["patient_id"].strip().upper(), input["slot_id"].strip().upper()
    if patient_id not in world["patients"]:
        return {"ok": False, "error": f"there is no patient {patient_id}"}
    slot = world["slots"].get(slot_id)
    if slot is None:
        return {"ok": False, "error": f"there is no slot {slot_id}"}
    if slot["state"] != "free":
        return {"ok": False, "error": f"{slot_id} is {slot['state']}"}
    slot["state"] = "booked"
    appointment_id = slot_id.replace("S-", "A-")
    world["appointments"][appointment_id] = {
        "patient": patient_id,
        "slot": slot_id,
        "urgency": input["urgency"],
        "state": "booked",
        "fee_cents": 0,
    }
    doctor = world["doctors"][slot["doctor"]]["name"]
    return {"ok": True, "appointment_id": appointment_id, "doctor": doctor, "date": slot["date"], "time": slot["time"]}
