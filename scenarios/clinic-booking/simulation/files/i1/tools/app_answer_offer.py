"""The patient answers an offer in the app: accepting makes the appointment, declining sets the slot free again."""

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
        {"input": {"slot_id": "S-2105", "answer": "accept"}, "world": "offer-open.json"},
        {"input": {"slot_id": "S-2105", "answer": "decline"}, "world": "offer-open.json"},
        {"input": {"slot_id": "S-1102", "answer": "accept"}, "world": "base.json"},
    ],
}


def run(input, world):
    slot_id = input["slot_id"]
    offer = next((entry for entry in world["offers"] if entry["slot"] == slot_id and entry["state"] == "open"), None)
    if offer is None:
        return {"ok": False, "error": "there is no open offer for this slot"}
    slot, waiting = world["slots"][slot_id], world["waiting_list"]
    waiting.remove(next(entry for entry in waiting if (entry["patient"], entry["doctor"]) == (offer["patient"], slot["doctor"])))
    if input["answer"] == "accept":
        offer["state"] = "accepted"
        slot["state"] = "booked"
        appointment = {"patient": offer["patient"], "slot": slot_id, "urgency": "routine", "state": "booked", "fee_cents": 0}
        world["appointments"][slot_id.replace("S-", "A-")] = appointment
    else:
        offer["state"] = "declined"
        slot["state"] = "free"
        waiting.append({"patient": offer["patient"], "doctor": slot["doctor"], "since": world["today"]})
    return {"ok": True, "shown": f"You have answered: {input['answer']}."}
