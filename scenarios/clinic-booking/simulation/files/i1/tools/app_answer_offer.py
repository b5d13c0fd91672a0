"""The patient answers an offer in the app: accepting makes the appointment, declining sets the slot free again."""

# One slot is held for one patient.
OFFERED = {
    "today": "2026-04-14",
    "slots": {
        "S-2105": {
            "doctor": "D-21", "date": "2026-04-17", "time": "08:20", "kind": "regular", "state": "offered", "freed": True
        }
    },
    "appointments": {},
    "waiting_list": [{"patient": "P-105", "doctor": "D-21", "since": "2026-03-02"}],
    "offers": [{"slot": "S-2105", "patient": "P-105", "state": "open"}],
}

tool = {
    "name": "app_answer_offer",
    "description": "Patient app: accepts or declines a slot that was offered.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["slot_id", "answer"],
        "properties": {"slot_id": {"type": "string"}, "answer": {"type": "string", "enum": ["accept", "decline"]}},
    },
    "examples": [
        {"input": {"slot_id": "S-2105", "answer": "accept"}, "world": OFFERED},
        {"input": {"slot_id": "S-2105", "answer": "decline"}, "world": OFFERED},
        {"input": {"slot_id": "S-1102", "answer": "accept"}, "world": "base.json"},
    ],
}


def run(input, world):
    slot_id = input["slot_id"]
    offer = next((entry for entry in world["offers"] if entry["slot"] == slot_id and entry["state"] == "open"), None)
    if offer is None:
        return {"ok": False, "error": "there is no open offer for this slot"}
    slot = world["slots"][slot_id]
    place = (offer["patient"], slot["doctor"])
    world["waiting_list"] = [entry for entry in world["waiting_list"] if (entry["patient"], entry["doctor"]) != place]
    if input["answer"] == "accept":
        offer["state"] = "accepted"
        slot["state"] = "booked"
        appointment = {"patient": offer["patient"], "slot": slot_id, "urgency": "routine", "state": "booked", "fee_cents": 0}
        world["appointments"][slot_id.replace("S-", "A-")] = appointment
    else:
        offer["state"] = "declined"
        slot["state"] = "free"
        world["waiting_list"].append({"patient": offer["patient"], "doctor": slot["doctor"], "since": world["today"]})
    return {"ok": True, "shown": f"You have answered: {input['answer']}."}
