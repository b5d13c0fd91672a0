"""Holds a free slot for a patient who waits for its doctor, and asks the patient in the app."""

tool = {
    "name": "offer_slot",
    "description": (
        "Offers a free slot to a patient on the waiting list of its doctor. The slot is held until the patient answers in the"
        " app."
    ),
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["patient_id", "slot_id"],
        "properties": {"patient_id": {"type": "string"}, "slot_id": {"type": "string"}},
    },
    "examples": [
        {"input": {"patient_id": "P-105", "slot_id": "S-2101"}, "world": "base.json"},
        {"input": {"patient_id": "P-101", "slot_id": "S-2101"}, "world": "base.json"},
        {"input": {"patient_id": "P-105", "slot_id": "S-0000"}, "world": "base.json"},
    ],
}


def run(input, world):
    patient_id, slot_id = input["patient_id"].strip().upper(), input["slot_id"].strip().upper()
    slot = world["slots"].get(slot_id)
    if slot is None or slot["state"] != "free":
        return {"ok": False, "error": f"{slot_id} is not free"}
    if not any((entry["patient"], entry["doctor"]) == (patient_id, slot["doctor"]) for entry in world["waiting_list"]):
        return {"ok": False, "error": f"{patient_id} does not wait for {slot['doctor']}"}
    slot["state"] = "offered"
    world["offers"].append({"slot": slot_id, "patient": patient_id, "state": "open"})
    return {"ok": True, "held_for": patient_id}
